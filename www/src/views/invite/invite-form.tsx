import { useSignal } from "@preact/signals";
import type { Form } from "agentpair";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken } from "../../words/language.ts";
import { Petname } from "../join/petname.tsx";
import { room } from "./words.ts";

const FORMS: readonly Form[] = ["link", "words", "digits"];

/** How an invite shall be. */
export interface Wanted {
  form: Form;
  petname: string;
}

interface InviteFormProps {
  isBusy: boolean;
  error: unknown;
  onMake: (wanted: Wanted) => void;
}

export function InviteForm({ isBusy, error, onMake }: InviteFormProps) {
  const w = spoken(room);
  const form = useSignal<Form>("link");
  const petname = useSignal("");
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onMake({ form: form.value, petname: petname.value.trim() });
      }}
    >
      <fieldset class="invite-ways">
        <legend>{w.how}</legend>
        {FORMS.map((name) => (
          <label key={name} class="invite-way">
            <input
              type="radio"
              name="form"
              value={name}
              checked={form.value === name}
              onChange={() => {
                form.value = name;
              }}
            />
            <span>
              <strong>{w.forms[name][0]}</strong>
              <span class="hint">{w.forms[name][1]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Petname value={petname} />
      <Trouble error={error} />
      <Button submit kind="primary" busy={isBusy}>
        {w.make}
      </Button>
      <p role="status">{isBusy && w.making}</p>
    </form>
  );
}
