import { setTimeout as pause } from "node:timers/promises";
import type { BaseHost } from "../common.js";
import { AgentPairError } from "../errors.js";
import type { Call } from "./call.js";
import { isHere } from "./complaint.js";

/** A relay on this machine that does not answer for so long is not there, in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Does something that needs a relay for pairing, and gives up early where none is at an address of this machine: a new
 * user shall not wait for what cannot come.
 *
 * @throws AgentPairError `relay_unreachable`, and whatever the work throws.
 */
export async function unlessNoRelay<T>(
  call: Call,
  host: BaseHost,
  relay: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!isHere(relay)) return work(call.signal);
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  const missing = new AgentPairError("relay_unreachable", "relay", `no relay at ${relay}`);
  const watch = async () => {
    const silent = async () =>
      (await host.pairings()).some(
        (view) => view.relay === relay && view.outcome === undefined && view.trouble === "no_answer",
      );
    for (;;) {
      await host.until(async () => ((await silent()) ? true : undefined), "trouble", { signal });
      await pause(PATIENCE_MS, undefined, { signal });
      if (await silent()) return over.abort(missing);
    }
  };
  const watching = watch().catch(() => {});
  try {
    return await work(signal);
  } finally {
    over.abort();
    await watching;
  }
}
