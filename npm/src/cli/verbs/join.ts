import type { BaseHost } from "../../common.js";
import { AgentPairError } from "../../errors.js";
import { relayFailed } from "../../host/pairing.js";
import type { PendingItem } from "../../host/types.js";
import { askText } from "../ask.js";
import type { Call } from "../call.js";
import { kinder } from "../complaint.js";
import { unlessNoRelay } from "../no-relay.js";
import { readStdin } from "../stdin.js";
import { act, type Verb } from "../verb.js";
import { decideOrSay, giveUp, pendingJson, tellBond, untilBonded } from "../waiting.js";

/** What the human mistyped, where it can be typed again: no guess is spent. */
const MISTYPED = ["code_malformed", "code_word_unknown"];

/** How long the relay gets to answer, in milliseconds. */
const RELAY_MS = 10_000;

export default {
  summary: "use a code that the other human told you",
  register(command) {
    command
      .argument("[code]", "- or nothing: the code is asked for, or read from standard input")
      .option("--petname <name>", "how you call the other side");
    act(command, join);
  },
} satisfies Verb;

async function join(call: Call, given: string | undefined, { petname }: { petname?: string }): Promise<void> {
  if (given !== undefined && given !== "-") {
    const text =
      "a code is a secret, and every process of this machine can read what stands behind a command: run `agentpair join` without it, and type it when you are asked";
    throw new AgentPairError("invalid_argument", "caller", text);
  }
  const host = await call.host();
  const isTyped = given === undefined && call.isTerminal;
  let pairing: string | undefined;
  while (pairing === undefined) {
    const code = (isTyped ? await askText(call, "The code:") : await readStdin()).trim();
    try {
      pairing = await host.join(code, petname === undefined ? {} : { petname });
    } catch (error) {
      if (!isTyped || !MISTYPED.includes((error as AgentPairError).code)) throw error;
      call.say(`${(error as AgentPairError).message}. Type it again.`);
    }
  }
  const id = pairing;
  const { relay } = await host.pairing(id);
  try {
    const pending = await call.progress(
      "asking the other side",
      unlessNoRelay(call, host, relay, (signal) => asked(host, id, signal)),
    );
    if (pending !== undefined) {
      if (call.json) call.print({ pairing: id, ...pendingJson(pending) }, () => []);
      await decideOrSay(call, host, pending.id);
    }
    await tellBond(call, host, await untilBonded(call, host, id, () => "waiting for the other side"));
  } catch (error) {
    await giveUp(call, host, id, "The pairing is given up.");
    throw kinder(error, relay);
  }
}

/** Waits until the human is asked; nothing if it ended before. */
async function asked(host: BaseHost, pairing: string, signal: AbortSignal): Promise<PendingItem | undefined> {
  const look = async () => {
    const { pending, outcome } = await host.pairing(pairing);
    const item = (await host.pendings()).find(({ id }) => id === pending);
    return item ?? (outcome === undefined ? undefined : ("over" as const));
  };
  const until = async (timeoutMs: number) => {
    const found = await host.until(look, "the other side", { timeoutMs, signal });
    return found === "over" ? undefined : found;
  };
  try {
    return await until(RELAY_MS);
  } catch (error) {
    signal.throwIfAborted();
    // The other side may take its time, the relay may not.
    const view = await host.pairing(pairing);
    if ((error as AgentPairError).code !== "timeout") throw error;
    if (view.trouble === undefined) return until(Math.max(0, view.expiresAt - Date.now()));
    throw relayFailed(view, RELAY_MS / 1_000);
  }
}
