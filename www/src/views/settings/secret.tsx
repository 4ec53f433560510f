import type { RefObject } from "preact";
import { Field } from "../../parts/field.tsx";

/** Where a secret is typed: it is read from there when it is needed, and kept nowhere else. */
export type SecretField = RefObject<HTMLInputElement | null>;

/** What is typed in a field now. */
export function secretIn({ current }: SecretField): string {
  return current?.value ?? "";
}

/** Empties fields: after each attempt, whatever came of it. */
export function clearSecrets(...fields: readonly SecretField[]): void {
  for (const { current } of fields) {
    if (!current) continue;
    current.value = "";
    // For whoever compares it with another one.
    current.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

interface SecretProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  field: SecretField;
  /** For the password manager of the browser. */
  isNew?: boolean;
  minLength?: number;
}

/** A field whose text is not shown. */
export function Secret({ label, hint, error, field, isNew = false, minLength }: SecretProps) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })} error={error}>
      {(ties) => (
        <input
          {...ties}
          ref={field}
          type="password"
          required
          minLength={minLength}
          autocomplete={isNew ? "new-password" : "current-password"}
        />
      )}
    </Field>
  );
}
