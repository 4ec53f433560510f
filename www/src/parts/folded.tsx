import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface FoldedProps {
  summary: string;
  /** It is shown from the beginning. */
  isOpen?: boolean;
  children: ComponentChildren;
}

/** What is shown only when it is asked for, and not made before. */
export function Folded({ summary, isOpen = false, children }: FoldedProps) {
  const isShown = useSignal(isOpen);
  return (
    <details
      open={isShown.value}
      onToggle={(event) => {
        isShown.value = event.currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {isShown.value && children}
    </details>
  );
}
