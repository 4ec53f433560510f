import type { Transaction } from "../store/store.js";
import type { Effect } from "../wasm/agentpair.js";

/** Writes what a step has to persist. Returns the revision at which the store stands then. */
export function persist(transaction: Transaction, effects: readonly Effect[]): number {
  let revision = transaction.revision - 1;
  for (const effect of effects) {
    if (effect.effect === "persist") {
      transaction.write(effect.records, effect.entries);
      if (effect.records.length > 0) revision = transaction.revision;
    } else if (effect.effect === "ask_human") {
      transaction.issue(effect.pending.id);
    } else if (effect.effect === "withdraw") {
      transaction.withdraw(effect.pending);
    }
  }
  return revision;
}
