import type { PendingItem } from "agentpair";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** The beginning of an item's digest: the card and the second look are about the same thing. */
export function Digest({ item }: { item: PendingItem }) {
  const w = spoken(room);
  return (
    <p class="hint">
      {w.digest}: <code>{item.digest.slice(0, 16).replace(/(.{4})(?=.)/g, "$1 ")}</code>
    </p>
  );
}
