import type { BaseHost } from "../common.js";
import type { Call } from "./call.js";

/** Mail that waits gets this long to arrive, in milliseconds: in all, and since the last that came. */
const ARRIVAL_MS = 4_000;
const QUIET_MS = 300;

/** Lets arrive what waits at the relays: this process may be the first in hours that asks them. */
export async function catchUp(call: Call, host: BaseHost): Promise<void> {
  if ((await host.bonds()).length === 0) return;
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(ARRIVAL_MS)]);
  const listening = async () => (await host.isListening()) || undefined;
  const settle = async () => {
    await host.until(listening, "the relays", { signal });
    let last = (await host.me()).feed;
    const more = async () => {
      const { feed } = await host.me();
      return feed > last ? feed : undefined;
    };
    for (;;) last = await host.until(more, "mail", { timeoutMs: QUIET_MS, signal });
  };
  // It ends when nothing came for a while.
  await call.progress("looking at the relay", settle()).catch(() => call.signal.throwIfAborted());
}
