import type { BaseHost } from "../common.js";
import type { OutboxView, PairingView } from "../wasm/agentpair.js";
import type { Call } from "./call.js";

/** How long relays get to take what has to leave, in milliseconds. */
const RELAY_MS = 10_000;

/** A pairing that is over on this side, and of which the relay or the peer is still told. */
const LAST_WORDS = ["failing", "withdrawing"];

/**
 * Waits until the relays have what this side has to send: all of it, or that of one bond or pairing. Says so where it
 * cannot leave now: it is kept, and leaves another time. To be awaited before a verb that did something ends.
 */
export async function untilSent(
  call: Call,
  host: BaseHost,
  of?: string,
  signal: AbortSignal = call.signal,
): Promise<boolean> {
  const look = async () => {
    const isEnding = ({ id, step }: PairingView) => (of ?? id) === id && LAST_WORDS.includes(step);
    if ((await host.pairings()).some(isEnding)) return undefined;
    const all = (await host.outbox()).filter((item) => (of ?? item.bond) === item.bond);
    const queued = all.filter(({ state }) => state === "queued");
    if (queued.length === 0) return "sent";
    return queued.every((item) => isBehind(item, all)) ? "behind" : undefined;
  };
  const options = { timeoutMs: RELAY_MS, signal };
  const sent = await call
    .progress("handing it to the relay", host.until(look, "the relay", options))
    .catch((error: { code?: string }) => {
      if (error.code !== "timeout") throw error;
      return "late";
    });
  if (sent === "late") {
    call.say("The relay does not take it now. It is kept, and leaves when AgentPair runs here. Do not do it again.");
  } else if (sent === "behind") {
    call.say("It is kept, and leaves when the other side has taken what you sent before, and AgentPair runs here.");
  }
  return sent === "sent";
}

/** In a negotiation one step leaves at a time: the next one waits until the other side has taken it. */
function isBehind({ bond, thread }: OutboxView, all: readonly OutboxView[]): boolean {
  return all.some(
    (item) => item.state === "relayed" && item.bond === bond && item.thread === thread && item.kind.startsWith("nego."),
  );
}
