import { AgentPairError } from "../errors.js";
import { LONGEST_MS } from "./alarm.js";
import type { Loop } from "./loop.js";
import { hostClosed } from "./queue.js";

/** Bounds of a wait. */
export interface WaitOptions {
  /** Give up after this many milliseconds, with an error of code `timeout`. */
  timeoutMs?: number | undefined;
  /** Give up when this signal is aborted, with its reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Looks after every change until there is something to see.
 *
 * @param what completes the sentence "waited in vain for …".
 * @throws AgentPairError `timeout`, `host_closed`; the reason of the signal; whatever `look` throws.
 */
export async function waitUntil<T>(
  loop: Loop,
  look: () => Promise<T | undefined>,
  what: string,
  { timeoutMs, signal }: WaitOptions,
): Promise<T> {
  const end = deadline(timeoutMs, signal);
  try {
    for (;;) {
      const rung = loop.bell.next;
      const seen = await look();
      if (seen !== undefined) return seen;
      if (loop.isClosed) throw hostClosed();
      const ended = await Promise.race([rung, end.promise]);
      if (ended === "timeout") {
        const text = `waited in vain for ${what}, ${(timeoutMs ?? 0) / 1000} s`;
        throw new AgentPairError("timeout", "caller", text);
      }
      if (ended === "aborted") throw signal?.reason;
    }
  } finally {
    end.clear();
  }
}

/** A promise that resolves with the reason to stop; it never does if there is none. */
function deadline(timeoutMs: number | undefined, signal: AbortSignal | undefined) {
  let clear = () => {};
  const promise = new Promise<"timeout" | "aborted">((resolve) => {
    const limit = Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, LONGEST_MS);
    const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, limit, "timeout");
    const abort = () => resolve("aborted");
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    clear = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  });
  return { promise, clear };
}
