import { useSignal } from "@preact/signals";
import type { Decision, PendingItem } from "agentpair";
import { useEffect, useRef } from "preact/hooks";
import { decide } from "../../decide.ts";
import { live, waiting } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Line } from "../../parts/line.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken } from "../../words/language.ts";
import { isSame } from "./at-hand.ts";
import { Digest } from "./digest.tsx";
import { kinds, room } from "./words.ts";

/** Longest words for a rejection. */
const REASON = 200;

interface SecondLookProps {
  item: PendingItem;
  decision: Decision;
  question: string;
  onClose: () => void;
  onDone: () => void;
}

/** Asks once more, and for the PIN where one is set. */
export function SecondLook({ item, decision, question, onClose, onDone }: SecondLookProps) {
  const w = spoken(room);
  const kind = spoken(kinds)[item.subject.kind];
  const act = useAct();
  const form = useRef<HTMLFormElement>(null);
  const reason = useSignal("");
  const isHere = waiting.value.some((other) => isSame(other, item));
  const needsPin = live.value?.me.approver !== undefined;
  // The words of a rejection reach the other side for these two only.
  const takesReason = decision === "reject" && (item.subject.kind === "open" || item.subject.kind === "extend");
  // It goes as soon as it is decided: that is no news while it is being decided here.
  if (!isHere && !act.isBusy) {
    return (
      <Dialog title={w.sure[decision]} onClose={onClose}>
        <Gone onClose={onClose} />
      </Dialog>
    );
  }
  const submit = async () => {
    // Read from the form, and kept nowhere.
    const input = form.current?.querySelector<HTMLInputElement>("input[type=password]");
    const words = takesReason ? reason.value.trim() : "";
    const options = { ...(input && { pin: input.value }), ...(words && { reason: words }) };
    const isDecided = await act.run(() => decide(item, decision, options));
    if (input) input.value = "";
    if (isDecided) onDone();
    else input?.focus();
  };
  return (
    <Dialog title={w.sure[decision]} onClose={onClose}>
      <form
        ref={form}
        class="second-look"
        // The second half of a double click was not meant for what it opened.
        onClickCapture={(event) => {
          if (event.detail > 1) event.preventDefault();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p>
          <strong>{question}</strong>
        </p>
        <p>{decision === "approve" ? kind.yes : kind.no}</p>
        <Digest item={item} />
        {needsPin && (
          <Field label={w.pin}>{(ties) => <input {...ties} type="password" autocomplete="off" required />}</Field>
        )}
        {takesReason && <Line label={w.reason} hint={w.reasonHint} value={reason} maxLength={REASON} />}
        {act.isBusy && needsPin && <p role="status">{w.checking}</p>}
        <Trouble error={act.error} />
        <div class="buttons">
          <Button onClick={onClose} disabled={act.isBusy}>
            {w.back}
          </Button>
          <Button submit kind={decision === "approve" ? "primary" : "danger"} busy={act.isBusy}>
            {w.now[decision]}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** There is nothing to decide any more. */
function Gone({ onClose }: { onClose: () => void }) {
  const w = spoken(room);
  const place = useRef<HTMLDivElement>(null);
  // What had the focus is gone with the question.
  useEffect(() => place.current?.querySelector("button")?.focus(), []);
  return (
    <>
      <p role="alert">{w.gone}</p>
      <div class="buttons" ref={place}>
        <Button onClick={onClose}>{w.close}</Button>
      </div>
    </>
  );
}
