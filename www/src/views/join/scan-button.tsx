import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/trouble.tsx";

interface ScanButtonProps {
  children: string;
  /** Takes a scanned text, or says in words why it is not the one. */
  onText: (text: string) => string | undefined;
}

type Scanner = ComponentType<{ onText: ScanButtonProps["onText"]; onStop: () => void }>;

/** A button that becomes a scanner. What it takes to scan is loaded when it is pressed. */
export function ScanButton({ children, onText }: ScanButtonProps) {
  const scanner = useSignal<Scanner | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const place = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  const Shown = scanner.value;
  const isOpen = Shown !== undefined;
  // The keyboard goes on where it was: in the scanner, and afterwards at the button again.
  useEffect(() => {
    if (isOpen) place.current?.querySelector<HTMLElement>(".scanner")?.focus();
    else if (wasOpen.current) place.current?.querySelector("button")?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const stop = () => {
    scanner.value = undefined;
  };
  if (Shown) {
    const take = (text: string) => {
      const complaint = onText(text);
      if (complaint === undefined) stop();
      return complaint;
    };
    return (
      <div ref={place}>
        <Shown onText={take} onStop={stop} />
      </div>
    );
  }
  const start = async () => {
    try {
      error.value = undefined;
      scanner.value = (await import("./scanner.tsx")).default;
    } catch (thrown) {
      error.value = thrown;
    }
  };
  return (
    <div ref={place}>
      <Trouble error={error.value} />
      <Button onClick={() => void start()}>{children}</Button>
    </div>
  );
}
