import { noMemory } from "../host/no-memory.js";
import { inWorker } from "../load/in-worker.js";

/**
 * The key of a passphrase, 32 bytes. It takes about half a second, in a Web Worker that is thrown away.
 *
 * @throws AgentPairError `no_memory`.
 */
export function stretched(passphrase: string, salt: Uint8Array): Promise<Uint8Array> {
  return inWorker<Uint8Array>({ task: "stretch", passphrase, salt }).catch(noMemory);
}
