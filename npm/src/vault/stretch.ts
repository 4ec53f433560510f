import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { AgentPairError } from "../errors.js";
import type { StretchAnswer, StretchTask } from "./stretch-worker.js";

/** How a key is made of a passphrase: as it stands beside every salt. There is one way only. */
export const KDF = { name: "argon2id", memory_kib: 65_536, passes: 3, lanes: 1 } as const;

/** Length of a salt, in bytes. */
export const SALT_BYTES = 16;

/** Whether a file names the one way that there is: nobody makes this process compute anything else. */
export function isKdf(value: unknown): boolean {
  const found = value as Partial<Record<keyof typeof KDF, unknown>> | null;
  return (
    typeof found === "object" &&
    found !== null &&
    (Object.keys(KDF) as (keyof typeof KDF)[]).every((name) => found[name] === KDF[name])
  );
}

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
