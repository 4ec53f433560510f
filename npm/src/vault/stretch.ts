import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { AgentPairError } from "../errors.js";
import type { StretchAnswer, StretchTask } from "./stretch-worker.js";

/**
 * The key of a passphrase, 32 bytes. It takes about half a second, in a thread that is thrown away: the event loop
 * goes on, and the 64 MiB are given back.
 *
 * @throws AgentPairError `no_memory`.
 */
export async function stretched(passphrase: string, salt: Uint8Array): Promise<Uint8Array> {
  const workerData: StretchTask = { passphrase, salt };
  const thread = new Worker(new URL("./stretch-worker.js", import.meta.url), { workerData });
  try {
    const [answer] = (await once(thread, "message")) as [StretchAnswer];
    if ("key" in answer) return answer.key;
    throw new Error(answer.problem);
  } catch (cause) {
    const text =
      "no key can be made of the passphrase, which takes 64 MiB of memory: end other programs, and try again";
    throw new AgentPairError("no_memory", "caller", text, { cause });
  } finally {
    void thread.terminate();
  }
}
