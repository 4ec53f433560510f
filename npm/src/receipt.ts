import { asAgentPairError } from "./errors.js";
import { type VerifiedReceipt, verifyReceipt as verify } from "./wasm/agentpair.js";

/**
 * Verifies a receipt from its text alone, offline and without keys. It proves that the holders of two keys signed this
 * agreement; the times, and that a human approved, are each signer's own statement.
 *
 * @throws AgentPairError `invalid_receipt`; its message says what does not fit.
 */
export function verifyReceipt(receipt: string | Uint8Array): VerifiedReceipt {
  try {
    return verify(typeof receipt === "string" ? new TextEncoder().encode(receipt) : receipt);
  } catch (error) {
    throw asAgentPairError(error);
  }
}
