import type { Signal } from "@preact/signals";
import { Field } from "./field.tsx";

interface LineProps {
  label: string;
  hint?: string;
  value: Signal<string>;
  maxLength?: number;
}

/** A field for one line of text, which the browser does not remember. */
export function Line({ label, hint, value, maxLength }: LineProps) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(ties) => (
        <input
          {...ties}
          autocomplete="off"
          {...(maxLength !== undefined && { maxLength })}
          value={value.value}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      )}
    </Field>
  );
}
