import { asAgentPairError } from "../errors.js";
import { safetyNumber as compute } from "../wasm/agentpair.js";

/**
 * The safety number of two agent ids, computed here and now: about half a second, and 64 MiB that are not given back.
 * Platforms with threads compute it in one that is thrown away.
 *
 * @throws AgentPairError `safety_unavailable`.
 */
export async function safetyNumber(own: string, peer: string): Promise<string[]> {
  try {
    return compute(own, peer);
  } catch (error) {
    throw asAgentPairError(error);
  }
}
