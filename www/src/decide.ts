import type { Decision, PendingItem } from "agentpair";
import { openHost } from "./live.ts";

/** What the human added to a decision. */
export interface Decided {
  /** Words for a rejection. */
  reason?: string;
  /** The PIN, where one is set. */
  pin?: string;
}

/**
 * Decides an item as it is shown on this screen.
 *
 * @throws AgentPairError `pending_not_found` if it is gone or another one by now, `pin_required`, `invalid_pin`,
 * `attempts_exhausted`.
 */
export async function decide(item: PendingItem, decision: Decision, options: Decided = {}): Promise<void> {
  const host = await openHost();
  await host.decideHere({ id: item.id, digest: item.digest }, decision, options);
}
