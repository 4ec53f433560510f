import { type Command, Option } from "commander";
import type { BaseHost, Taken } from "../common.js";
import { AgentPairError } from "../errors.js";
import type { SessionView } from "../wasm/agentpair.js";
import type { Call } from "./call.js";
import { catchUp } from "./catch-up.js";
import { type DeliverableOptions, deliverableOf, KINDS } from "./deliverable.js";
import { findHash, findSession } from "./find-session.js";
import { positive } from "./numbers.js";
import { untilSent } from "./sent.js";
import { sessionJson } from "./session-view.js";
import { readStdin } from "./stdin.js";
import { act } from "./verb.js";
import { decideOrSay } from "./waiting.js";

interface OnPeer {
  peer?: string;
}

interface OfferOptions extends OnPeer, DeliverableOptions {
  file: string;
}

const OFFERS = { propose: "put a text forward", counter: "put another text forward" };
type Offer = keyof typeof OFFERS;

const WORDS = "what you say to it; - reads standard input";

/** Those verbs of `agentpair session` that move a negotiation on. */
export function registerTurns(command: Command): void {
  for (const [kind, summary] of Object.entries(OFFERS) as [Offer, string][]) {
    const offer = onThread(command, kind, summary)
      .argument("[words]", WORDS, "")
      .requiredOption("--file <file>", "the text that is put forward: exactly its bytes")
      .addOption(new Option("--kind <kind>", "what it is (by the file's name)").choices(KINDS))
      .option("--media-type <type>", "its media type (by the file's name)")
      .option("--name <name>", "its name (the file's)");
    act(offer, (call: Call, thread: string, words: string, options: OfferOptions) =>
      put(call, kind, thread, words, options),
    );
  }
  act(
    onThread(command, "accept", "accept the other side's last text")
      .argument("<hash>", "SHA-256 of the text that you read, or its beginning")
      .argument("[words]", WORDS, ""),
    accept,
  );
  act(onThread(command, "sign", "sign a text by its hash").argument("<hash>", "SHA-256, or its beginning"), sign);
  act(
    onThread(command, "extend", "ask for more turns").requiredOption(
      "--turns <number>",
      "the new number of both sides together",
      positive,
    ),
    extend,
  );
  act(onThread(command, "close", "end a negotiation").option("--reason <words>", "what the other side is told"), close);
}

/** A verb on a thread. */
export function onThread(command: Command, name: string, summary: string): Command {
  return command
    .command(name)
    .description(summary)
    .argument("<thread>", "the thread, or its beginning")
    .option("--peer <peer>", "petname or id, where several peers have a thread of that name");
}

/** The host, with what the other side did meanwhile. */
async function current(call: Call): Promise<BaseHost> {
  const host = await call.host();
  await catchUp(call, host);
  return host;
}

async function put(call: Call, kind: Offer, thread: string, text: string, options: OfferOptions): Promise<void> {
  const deliverable = deliverableOf(options.file, options);
  const words = await wordsOf(text);
  const host = await current(call);
  const { session, bond } = await findSession(host, thread, options.peer);
  await tell(call, host, session, await host.turn(bond.id, session.thread, kind, words, deliverable));
}

async function accept(call: Call, thread: string, hash: string, text: string, { peer }: OnPeer): Promise<void> {
  const words = await wordsOf(text);
  const host = await current(call);
  const { session, bond } = await findSession(host, thread, peer);
  const sha256 = await findHash(host, session, hash);
  await tell(call, host, session, await host.accept(bond.id, session.thread, sha256, words));
}

async function wordsOf(text: string): Promise<string> {
  return text === "-" ? (await readStdin()).replace(/\r?\n$/, "") : text;
}

/** Says which turn was taken, once it has left. */
async function tell(call: Call, host: BaseHost, { bond, thread }: SessionView, { turn, sha256 }: Taken): Promise<void> {
  await untilSent(call, host, bond);
  const after = await findSession(host, thread, bond);
  call.print({ turn, artifact_hash: sha256, session: sessionJson(after) }, () => `turn ${turn}  ${sha256}`);
}

async function sign(call: Call, thread: string, hash: string, { peer }: OnPeer): Promise<void> {
  const host = await current(call);
  const { session, bond } = await findSession(host, thread, peer);
  const sha256 = await findHash(host, session, hash);
  await host.sign(bond.id, session.thread, sha256);
  await untilSent(call, host, bond.id);
  const after = await findSession(host, session.thread, bond.id);
  const { pending, status } = after.session;
  call.print({ session: sessionJson(after), pending_id: pending }, () => `signed ${sha256}`);
  if (pending !== undefined) await decideOrSay(call, host, pending);
  else if (status === "live") call.say("The other side has not signed the same text yet.");
}

async function extend(call: Call, thread: string, { peer, turns }: OnPeer & { turns: number }): Promise<void> {
  const host = await current(call);
  const { session, bond } = await findSession(host, thread, peer);
  const pending = await host.extend(bond.id, session.thread, turns);
  const after = await findSession(host, session.thread, bond.id);
  call.print({ session: sessionJson(after), pending_id: pending }, () => `asked for ${turns} turns`);
  await decideOrSay(call, host, pending);
}

async function close(call: Call, thread: string, { peer, reason }: OnPeer & { reason?: string }): Promise<void> {
  const host = await current(call);
  const { session, bond } = await findSession(host, thread, peer);
  if (session.status === "agreed" || session.status === "ended") {
    throw new AgentPairError("thread_closed", "policy", `this negotiation is over already: it is ${session.status}`);
  }
  await host.closeThread(bond.id, session.thread, reason);
  await untilSent(call, host, bond.id);
  const after = await findSession(host, session.thread, bond.id);
  call.print({ session: sessionJson(after) }, () => after.session.status);
}
