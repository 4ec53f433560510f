import type { BaseHost } from "../../common.js";
import { AgentPairError } from "../../errors.js";
import { printable } from "../../host/approval-text.js";
import type { SendOptions } from "../../host/types.js";
import { nameWords } from "../../mcp/frame.js";
import { askText } from "../ask.js";
import type { Call } from "../call.js";
import { positive } from "../numbers.js";
import { readStdin } from "../stdin.js";
import { act, type Verb } from "../verb.js";

/** How long the relay gets to take the message, in milliseconds. */
const RELAY_MS = 10_000;

export default {
  summary: "send a message",
  register(command) {
    command
      .argument("<peer>", "petname or id")
      .argument("[text]", "the message; - or nothing: it is asked for, or read from standard input")
      .option("--thread <thread>", "go on with a thread, instead of beginning one")
      .option("--kind <kind>", "what sort of message")
      .option("--ttl <seconds>", "how long it is worth delivering (7 days)", positive);
    act(command, send);
  },
} satisfies Verb;

async function send(call: Call, peer: string, text: string | undefined, options: SendOptions): Promise<void> {
  const host = await call.host();
  const { id: bond, petname } = await host.bond(peer);
  const body = await bodyOf(call, text);
  const { feed: since } = await host.me();
  const { mid, id, thread, seq } = await host.send(bond, body, options);
  const delivery = await call.progress("handing it to the relay", deliveryOf(call, host, mid, since));
  call.print(
    { peer: petname, bond, mid, id, thread: nameWords(petname, thread), seq, delivery },
    () => `${delivery}  thread ${printable(thread)}`,
  );
  if (delivery === "queued") {
    call.say("It is kept, and leaves when AgentPair runs here and the relay answers. Do not send it again.");
  }
}

async function bodyOf(call: Call, text: string | undefined): Promise<string> {
  if (text !== undefined && text !== "-") return text;
  if (text === undefined && call.isTerminal) return askText(call, "The message:");
  // The last line feed is of the pipe, not of the message.
  return (await readStdin()).replace(/\r?\n$/, "");
}

/** Looks how far a message gets in a while: `queued`, `relayed` or `delivered`. */
async function deliveryOf(call: Call, host: BaseHost, mid: string, since: number): Promise<string> {
  const look = async () => {
    const waiting = (await host.outbox()).find((item) => item.mid === mid);
    if (waiting) return waiting.state === "queued" ? undefined : waiting.state;
    return (await toldOf(host, mid, since)) ?? "delivered";
  };
  try {
    return await host.until(look, "the relay", { timeoutMs: RELAY_MS, signal: call.signal });
  } catch (error) {
    if ((error as AgentPairError).code === "timeout") return "queued";
    throw error;
  }
}

/** What the feed tells of a message that has left the outbox. */
async function toldOf(host: BaseHost, mid: string, since: number): Promise<string | undefined> {
  const items = await host.feed({ since, limit: 1_000 });
  const events = items.flatMap(({ event }) => (event.event === "delivery" && event.mid === mid ? [event] : []));
  const last = events.at(-1);
  if (last?.state === "refused") {
    throw new AgentPairError(last.code ?? "refused", "peer", `the other side refused the message: ${last.code}`);
  }
  return last?.state;
}
