import { useDraft } from "../../draft.ts";
import { openHost } from "../../live.ts";
import { draftOf, sendNoted } from "../../notes.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";

const room = words(
  { send: "Send", hint: "Encrypted on this device: the relay cannot read it." },
  { send: "Kirim", hint: "Dienkripsi di perangkat ini: relai tidak dapat membacanya." },
);

/** Writes a message on a thread, or on a new one. */
export function Compose({ bond, thread, label }: { bond: string; thread?: string; label: string }) {
  const w = spoken(room);
  const act = useAct();
  const text = useDraft(draftOf(bond, thread));
  const send = async () => {
    const body = text.value;
    if (body.trim() === "") return;
    const host = await openHost();
    await sendNoted(host, bond, body, thread);
    // What was typed meanwhile stays.
    if (text.value.startsWith(body)) text.value = text.value.slice(body.length);
  };
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault();
        void act.run(send);
      }}
    >
      <Field label={label} hint={w.hint}>
        {(ties) => (
          <textarea
            {...ties}
            rows={3}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        )}
      </Field>
      <Trouble error={act.error} />
      <Button kind="primary" submit busy={act.isBusy}>
        {w.send}
      </Button>
    </form>
  );
}
