import type { ComponentChildren } from "preact";

interface ButtonProps {
  /** How much it matters; `plain` unless said otherwise. */
  kind?: "primary" | "plain" | "danger" | "quiet";
  /** What it belongs to is under way. */
  busy?: boolean;
  disabled?: boolean;
  /** The id of what it is about, for those who do not see that. */
  about?: string;
  /** Submits the form that it is in, instead of `onClick`. */
  submit?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
}

export function Button({
  kind = "plain",
  busy = false,
  disabled = false,
  about,
  submit,
  onClick,
  children,
}: ButtonProps) {
  return (
    <button
      type={submit ? "submit" : "button"}
      class={`button ${kind}`}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      {...(about === undefined ? {} : { "aria-describedby": about })}
      onClick={(event) => {
        // Still in the order of the keyboard while it is busy, but deaf.
        if (busy) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function LinkButton({
  to,
  kind = "plain",
  children,
}: {
  to: string;
  kind?: string;
  children: ComponentChildren;
}) {
  return (
    <a class={`button ${kind}`} href={to}>
      {children}
    </a>
  );
}
