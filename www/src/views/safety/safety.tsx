import { useSignal } from "@preact/signals";
import type { BondView } from "agentpair";
import { useEffect, useRef } from "preact/hooks";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Trouble } from "../../parts/trouble.tsx";
import { moment, spoken } from "../../words/language.ts";
import { atHand } from "../waiting/at-hand.ts";
import { WaitingHere } from "../waiting/waiting.tsx";
import { Alarm } from "./alarm.tsx";
import { Compare } from "./compare.tsx";
import type { Comparison } from "./keys-code.ts";
import { SafetyNumber } from "./number.tsx";
import "./safety.css";
import { room } from "./words.ts";

/** The safety number of a bond, computed when this is drawn: to be compared, by digits or by QR code. */
export function Safety({ bond }: { bond: BondView }) {
  const w = spoken(room);
  const place = useRef<HTMLDivElement>(null);
  const number = useSignal<readonly string[] | undefined>(undefined);
  const found = useSignal<Comparison | undefined>(undefined);
  const computing = useAct();
  const asking = useAct();
  const compute = () =>
    computing.run(async () => {
      number.value = await (await openHost()).safetyNumber(bond.id);
    });
  useEffect(() => void compute(), [bond.id]);
  const compared = (comparison: Comparison) => {
    found.value = comparison;
    if (comparison === "equal") void asking.run(async () => (await openHost()).verify(bond.id));
  };
  // Asked for here; one that was asked before stands where everything waits.
  const question =
    found.value === "equal"
      ? atHand.value.find(({ subject }) => subject.kind === "verify" && subject.bond === bond.id)
      : undefined;
  return (
    <div ref={place} class="safety" tabIndex={-1}>
      <p>{w.why}</p>
      <SafetyNumber number={number.value} act={computing} onRetry={() => void compute()} />
      {found.value === "different" && (
        <Alarm
          bond={bond}
          onAgain={() => {
            found.value = undefined;
            place.current?.focus();
          }}
        />
      )}
      {found.value !== "different" && !question && (
        <Compare bond={bond} number={number.value} isBusy={asking.isBusy} onCompared={compared} />
      )}
      <div role="status">
        {asking.isBusy && <p>{w.asking}</p>}
        {question && <p>{w.isEqual}</p>}
      </div>
      <Trouble error={asking.error} />
      {question && <WaitingHere item={question} takesFocus />}
    </div>
  );
}

/** When the humans compared it, and how that was said. */
export function Verified({ bond }: { bond: BondView }) {
  const w = spoken(room);
  if (bond.verification === undefined) return null;
  const { at, how } = bond.verification;
  return <p class="safety-verified">{w.verified(moment(at), w.how[how] ?? w.by(how))}</p>;
}
