import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  hint?: string;
  /** What is wrong with what was typed. */
  error?: string | undefined;
  /** The control, given the attributes that tie it to label, hint and error. */
  children: (ties: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => ComponentChildren;
}

/** A control with its label, a hint and an error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const about = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(about && { "aria-describedby": about }), ...(error && { "aria-invalid": true }) })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
