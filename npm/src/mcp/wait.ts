import { AgentPairError } from "../node.js";
import type { Call } from "./call.js";

/** Longest time that a call waits: clients give up after a minute. */
export const LONGEST_MS = 45_000;

/**
 * Waits for `work`, and tells the client now and then that it waits, if the client wants to know.
 *
 * @param what completes the sentence "waiting for …".
 */
export async function waitingFor<T>(call: Call, what: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const { _meta: meta, notify } = call.context.mcpReq;
  const token = meta?.progressToken;
  if (token === undefined) return work();
  const start = performance.now();
  let last = -1;
  const tell = () => {
    const progress = Math.min(Math.round(performance.now() - start), timeoutMs);
    // It has to rise each time.
    if (progress <= last) return;
    last = progress;
    const params = { progressToken: token, progress, total: timeoutMs, message: `waiting for ${what}` };
    // Who hung up gets no answer either.
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
  tell();
  const timer = setInterval(tell, call.state.times.progressMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Whether a wait ended because its time was over. */
export function isTimeout(thrown: unknown): boolean {
  return thrown instanceof AgentPairError && thrown.code === "timeout";
}
