import type { Deliverable, VerifiedReceipt } from "agentpair";
import { loadCore } from "../../host.ts";

/** A receipt has a deliverable of at most 1 MiB; escaped, it may be several times as long. */
export const RECEIPT_BYTES = 8 * 1024 * 1024;

/** What a receipt says, after every check of it held. */
export interface ReadReceipt {
  verified: VerifiedReceipt;
  deliverable: Deliverable;
  /** The conversation that it came from. */
  thread: string;
  /** Each signer's own word for how its human was asked. */
  channels: [initiator: string, recipient: string];
}

/**
 * Verifies a receipt, and takes from it what the signatures cover.
 *
 * @throws AgentPairError `invalid_receipt`.
 */
export async function readReceipt(text: string): Promise<ReadReceipt> {
  const core = await loadCore();
  const verified = core.verifyReceipt(text);
  // Strictly parsed already: every key is there once, and of its type.
  const { deliverable, thread, initiator_ratified, recipient_ratified } = JSON.parse(text);
  return { verified, deliverable, thread, channels: [initiator_ratified.channel, recipient_ratified.channel] };
}
