import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { AgentPairError } from "../errors.js";
import type { SafetyAnswer, SafetyTask } from "./safety-worker.js";

/**
 * The safety number of two agent ids, computed in a thread that is thrown away: the event loop goes on, and the 64 MiB
 * are given back.
 *
 * @throws AgentPairError `safety_unavailable`.
 */
export async function safetyNumber(own: string, peer: string): Promise<string[]> {
  const workerData: SafetyTask = { own, peer };
  const thread = new Worker(new URL("./safety-worker.js", import.meta.url), { workerData });
  try {
    const died = once(thread, "exit").then(([code]) => Promise.reject(new Error(`the thread ended with ${code}`)));
    const [answer] = (await Promise.race([once(thread, "message"), died])) as [SafetyAnswer];
    if ("number" in answer) return answer.number;
    throw new Error(answer.problem);
  } catch (cause) {
    const text = "the safety number cannot be computed here: compare the keys digest (QR code) instead";
    throw new AgentPairError("safety_unavailable", "policy", text, { cause });
  } finally {
    void thread.terminate();
  }
}
