import type { Decision, PendingItem } from "agentpair";
import { useEffect, useId, useRef } from "preact/hooks";
import { live } from "../../live.ts";
import { Button } from "../../parts/button.tsx";
import { say } from "../../parts/say.tsx";
import { printable } from "../../printable.ts";
import { moment, spoken } from "../../words/language.ts";
import { isSame, looked } from "./at-hand.ts";
import { Digest } from "./digest.tsx";
import { Lines } from "./lines.tsx";
import { SecondLook } from "./second-look.tsx";
import { bondOf, namedIn } from "./subject.ts";
import { kinds, room } from "./words.ts";

/** One item that waits for the human: all that it is about, and the two ways. */
export function Question({ item, heading: Heading = "h3" }: { item: PendingItem; heading?: "h2" | "h3" }) {
  const w = spoken(room);
  const kind = spoken(kinds)[item.subject.kind];
  const id = useId();
  const opener = useRef<HTMLElement | null>(null);
  const { name = bondOf(item, live.value?.bonds ?? [])?.petname } = namedIn(item);
  const question = kind.ask(printable(name ?? w.stranger));
  const look = (decision: Decision) => () => {
    opener.current = document.activeElement as HTMLElement | null;
    looked.value = { item, decision };
  };
  const unlook = () => {
    if (looked.value && isSame(looked.value.item, item)) looked.value = undefined;
  };
  useEffect(() => unlook, []);
  const close = () => {
    unlook();
    // Where the keyboard was, if that is still there: after the dialog is gone.
    requestAnimationFrame(() => (opener.current?.isConnected ? opener.current : content())?.focus(STAY));
  };
  const done = (decision: Decision) => {
    unlook();
    say(`${w.done[decision]} ${question}`);
    requestAnimationFrame(() => content()?.focus(STAY));
  };
  const decision = looked.value && isSame(looked.value.item, item) ? looked.value.decision : undefined;
  return (
    <>
      <article class="card question" aria-labelledby={id}>
        <p class="question-kind">{kind.name}</p>
        <Heading id={id}>{question}</Heading>
        <Lines item={item} by={name ?? w.strangerMark} />
        <p class="hint">{w.until(moment(item.expiresAt))}</p>
        <Digest item={item} />
        <div class="buttons">
          <Button kind="primary" about={id} onClick={look("approve")}>
            {w.approve}
          </Button>
          <Button kind="danger" about={id} onClick={look("reject")}>
            {w.reject}
          </Button>
        </div>
      </article>
      {decision && (
        <SecondLook item={item} decision={decision} question={question} onClose={close} onDone={() => done(decision)} />
      )}
    </>
  );
}

const STAY = { preventScroll: true };

function content(): HTMLElement | null {
  return document.querySelector("main");
}
