import type { Signal } from "@preact/signals";
import { Field } from "../../parts/field.tsx";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** Longest name that is typed here. */
const NAME = 64;

/** The owner's name for the other side. */
export function Petname({ value }: { value: Signal<string> }) {
  const w = spoken(room);
  return (
    <Field label={w.petname} hint={w.petnameHint}>
      {(ties) => (
        <input
          {...ties}
          value={value.value}
          maxLength={NAME}
          autocomplete="off"
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      )}
    </Field>
  );
}
