import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { loadCore, RELAYS } from "../../host.ts";
import type { Act } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken } from "../../words/language.ts";
import { corrected, linkIn, wordAt } from "./code-field.ts";
import { CodeInput } from "./code-input.tsx";
import { Foreign } from "./foreign.tsx";
import type { Used } from "./join.tsx";
import { Petname } from "./petname.tsx";
import { type Reading, readCode } from "./read-code.ts";
import { ScanButton } from "./scan-button.tsx";
import { room } from "./words.ts";

interface CodeFormProps {
  act: Act;
  onUse: (code: string, used: Used) => void;
  onScanned: (link: string) => void;
}

/** A code that is typed, pasted or scanned. */
export function CodeForm({ act, onUse, onScanned }: CodeFormProps) {
  const w = spoken(room);
  const typed = useSignal("");
  const petname = useSignal("");
  const relay = useSignal(RELAYS[0] ?? "");
  const wrong = useSignal<Reading | undefined>(undefined);
  const failed = useSignal<unknown>(undefined);
  // What reads codes: it shall be there when the button is pressed. Its failure is told then.
  useEffect(() => void loadCore().catch(() => {}), []);
  const change = (text: string) => {
    typed.value = text;
    wrong.value = undefined;
    act.clear();
  };
  const submit = async () => {
    try {
      failed.value = undefined;
      const text = linkIn(typed.value) ?? typed.value;
      const reading = await readCode(text);
      if (reading.is === "code") onUse(text, { petname: petname.value.trim(), relay: relay.value });
      else wrong.value = reading;
    } catch (error) {
      failed.value = error;
    }
  };
  const typo = wrong.value?.is === "typo" ? wrong.value.typo : undefined;
  const complaints: Partial<Record<Reading["is"], string>> = { malformed: w.malformed, own: w.own };
  const error = typo ? w.typo(wordAt(typed.value, typo.position)) : wrong.value && complaints[wrong.value.is];
  return (
    <>
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (!act.isBusy) void submit();
        }}
      >
        <CodeInput value={typed.value} error={error} onValue={change} />
        {typo && (
          <p>
            <Button onClick={() => change(corrected(typed.value, typo))}>{w.mend(typo.nearest)}</Button>
          </p>
        )}
        {wrong.value?.is === "foreign" && <Foreign relay={wrong.value.relay} />}
        <Petname value={petname} />
        {RELAYS.length > 1 && (
          <Field label={w.relay} hint={w.relayHint}>
            {(ties) => (
              <select
                {...ties}
                value={relay.value}
                onChange={(event) => {
                  relay.value = event.currentTarget.value;
                }}
              >
                {RELAYS.map((url) => (
                  <option key={url}>{url}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Trouble error={failed.value ?? act.error} />
        <Button submit kind="primary" busy={act.isBusy}>
          {w.use}
        </Button>
        <p role="status">{act.isBusy && w.using}</p>
      </form>
      <section class="card">
        <Scan onScanned={onScanned} />
      </section>
    </>
  );
}

function Scan({ onScanned }: { onScanned: (link: string) => void }) {
  const w = spoken(room);
  const take = (text: string) => {
    const link = linkIn(text);
    if (link === undefined) return w.notCode;
    onScanned(link);
    return undefined;
  };
  return <ScanButton onText={take}>{w.scan}</ScanButton>;
}
