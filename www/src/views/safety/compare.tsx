import { useSignal } from "@preact/signals";
import type { BondView } from "agentpair";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import { spoken } from "../../words/language.ts";
import { ScanButton } from "../join/scan-button.tsx";
import { type Comparison, comparedDigest, comparedNumber } from "./keys-code.ts";
import { room } from "./words.ts";

interface CompareProps {
  bond: BondView;
  number: readonly string[] | undefined;
  isBusy: boolean;
  onCompared: (comparison: Comparison) => void;
}

/** The ways of comparing: by word of mouth, by QR code, and by typing. */
export function Compare({ bond, number, isBusy, onCompared }: CompareProps) {
  const w = spoken(room);
  const scanned = (text: string) => {
    const comparison = comparedDigest(bond.keysDigest, text);
    if (comparison === "unreadable") return w.notKeys;
    onCompared(comparison);
    return undefined;
  };
  return (
    <>
      {number && (
        <div class="buttons">
          <Button kind="primary" busy={isBusy} onClick={() => onCompared("equal")}>
            {w.equal}
          </Button>
          <Button kind="danger" onClick={() => onCompared("different")}>
            {w.different}
          </Button>
        </div>
      )}
      <h3>{w.qrTitle}</h3>
      <div class="safety-keys">
        <QrCode text={bond.keysDigest} label={w.qr} />
        <div>
          <p class="hint">{w.qrHint}</p>
          <ScanButton onText={scanned}>{w.scan}</ScanButton>
        </div>
      </div>
      {number && <Typed number={number} onCompared={onCompared} />}
    </>
  );
}

function Typed({ number, onCompared }: { number: readonly string[]; onCompared: (comparison: Comparison) => void }) {
  const w = spoken(room);
  const typed = useSignal("");
  const isShort = useSignal(false);
  return (
    <details>
      <summary>{w.typeTitle}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const comparison = comparedNumber(number, typed.value);
          isShort.value = comparison === "unreadable";
          if (comparison !== "unreadable") onCompared(comparison);
        }}
      >
        <Field label={w.type} hint={w.typeHint} error={isShort.value ? w.tooShort : undefined}>
          {(ties) => (
            <input
              {...ties}
              value={typed.value}
              inputMode="numeric"
              autocomplete="off"
              onInput={(event) => {
                typed.value = event.currentTarget.value;
                isShort.value = false;
              }}
            />
          )}
        </Field>
        <Button submit>{w.compare}</Button>
      </form>
    </details>
  );
}
