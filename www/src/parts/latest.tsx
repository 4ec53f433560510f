import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { spoken, words } from "../words/language.ts";
import { Button } from "./button.tsx";

const room = words(
  { earlier: (n: number) => (n === 1 ? "Show the one before" : `Show those before (${n})`) },
  { earlier: (n: number) => `Tampilkan yang sebelumnya (${n})` },
);

/**
 * The last `step` of a list, and a button for as many more: whoever writes thousands of messages makes no page of
 * thousands.
 */
export function useLatest<T>(list: readonly T[], step: number): { shown: readonly T[]; before: ComponentChildren } {
  const w = spoken(room);
  const count = useSignal(step);
  const hidden = Math.max(0, list.length - count.value);
  const more = () => {
    count.value += step;
  };
  return {
    shown: list.slice(hidden),
    before: hidden > 0 && (
      <Button kind="quiet" onClick={more}>
        {w.earlier(hidden)}
      </Button>
    ),
  };
}
