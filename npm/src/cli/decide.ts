import type { BaseHost } from "../common.js";
import type { AgentPairError } from "../errors.js";
import { shownLines } from "../host/approval-text.js";
import type { PendingItem } from "../host/types.js";
import type { Decision } from "../wasm/agentpair.js";
import { askSecret, askText } from "./ask.js";
import type { Call } from "./call.js";
import { untilSent } from "./sent.js";

/**
 * Shows a question that waits, and lets the human at this terminal decide it. Resolves with the decision; with nothing
 * where it was put off, or is not waiting any more.
 *
 * @throws AgentPairError `attempts_exhausted`, and whatever `host.decide` throws beyond a wrong PIN.
 */
export async function decideHere(call: Call, host: BaseHost, id: string): Promise<Decision | undefined> {
  const item = await waiting(host, id);
  if (!item) return undefined;
  call.say("", ...shownLines(item), "", `  digest ${digestHead(item)}`, "");
  const gone = new AbortController();
  const over = host.until(async () => ((await waiting(host, id)) ? undefined : true), "a decision", {
    signal: AbortSignal.any([call.signal, gone.signal]),
  });
  // Decided elsewhere, or out of date, while it is on the screen.
  const ended = new AbortController();
  over.then(
    () => ended.abort(),
    () => {},
  );
  try {
    const word = await askWord(call, ended.signal);
    if (word === "later") return undefined;
    const decision = await decide(call, host, item, word, ended.signal);
    await untilSent(call, host);
    return decision;
  } catch (error) {
    call.signal.throwIfAborted();
    if (!ended.signal.aborted && (error as { code?: string }).code !== "pending_not_found") throw error;
    call.say("This question does not wait any more: it was decided elsewhere, or it is too late.");
    return undefined;
  } finally {
    gone.abort();
  }
}

/** The beginning of an item's digest, as the approval page shows it too. */
export function digestHead({ digest }: PendingItem): string {
  return digest.slice(0, 16).replace(/(.{4})(?=.)/g, "$1 ");
}

/** In full: no key that was meant for something else decides. */
async function askWord(call: Call, signal: AbortSignal): Promise<Decision | "later"> {
  for (;;) {
    const word = (await askText(call, "Type approve, reject or later:", signal)).trim().toLowerCase();
    if (word === "approve" || word === "reject" || word === "later") return word;
    call.say("One of these three words, in full.");
  }
}

/** Decides with the code that stands in the item's file, and asks for the PIN where one is set. */
async function decide(
  call: Call,
  host: BaseHost,
  item: PendingItem,
  decision: Decision,
  signal: AbortSignal,
): Promise<Decision> {
  const { decideShown } = await import("../approve/decide.js");
  for (let pin: string | undefined; ; ) {
    try {
      return await decideShown(host, item, { channel: "terminal", decision, pin });
    } catch (error) {
      const { code, message } = error as AgentPairError;
      if (code !== "pin_required" && code !== "invalid_pin") throw error;
      if (code === "invalid_pin") call.say(message);
      pin = await askSecret(call, "Your PIN:", signal);
    }
  }
}

async function waiting(host: BaseHost, id: string): Promise<PendingItem | undefined> {
  return (await host.pendings()).find((item) => item.id === id);
}
