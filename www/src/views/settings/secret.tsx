import type { Signal } from "@preact/signals";
import { Field } from "../../parts/field.tsx";

interface SecretProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: Signal<string>;
  /** For the password manager of the browser. */
  isNew?: boolean;
  minLength?: number;
}

/** A field whose text is not shown. */
export function Secret({ label, hint, error, value, isNew = false, minLength }: SecretProps) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })} error={error}>
      {(ties) => (
        <input
          {...ties}
          type="password"
          required
          minLength={minLength}
          autocomplete={isNew ? "new-password" : "current-password"}
          value={value.value}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      )}
    </Field>
  );
}
