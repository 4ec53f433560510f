import { AgentPairError } from "../errors.js";
import { inWorker } from "../load/in-worker.js";

/**
 * The safety number of two agent ids, computed in a Web Worker that is thrown away: the page goes on, and the 64 MiB
 * are given back.
 *
 * @throws AgentPairError `safety_unavailable`.
 */
export async function safetyNumber(own: string, peer: string): Promise<string[]> {
  try {
    return await inWorker<string[]>({ task: "safety", own, peer });
  } catch (cause) {
    const text = "the safety number cannot be computed here: compare the keys digest (QR code) instead";
    throw new AgentPairError("safety_unavailable", "policy", text, { cause });
  }
}
