import { computed, signal } from "@preact/signals";
import type { Decision, PendingItem } from "agentpair";
import { waiting } from "../../live.ts";

/** An item that is being looked at for the second time, and the decision that would be made. */
export const looked = signal<{ item: PendingItem; decision: Decision } | undefined>(undefined);

/** Whether two are the same question, word by word. */
export function isSame(one: PendingItem, other: PendingItem): boolean {
  return one.id === other.id && one.digest === other.digest;
}

/** What waits; and what does not any more, as long as somebody is about to decide it: that has to be told. */
export const atHand = computed(() => {
  const item = looked.value?.item;
  const isGone = item !== undefined && !waiting.value.some((other) => isSame(other, item));
  return isGone ? [...waiting.value, item] : waiting.value;
});
