import type { BaseHost, Deliverable, Open, PendingItem, SessionView } from "agentpair";
import { codesOf } from "../../support/human.ts";

/** One side of a bond. */
export interface Party {
  host: BaseHost;
  /** Its own id of the bond. */
  bond: string;
}

const LONG = { timeoutMs: 60_000 };

/** Terms that both can live with, with what differs. */
export function terms(more: Partial<Open> = {}): Open {
  return {
    goal: "Fix the price of one hour",
    acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
    budget: { max_turns: 6, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: ["propose"], human_required: ["ratify"] },
    ...more,
  };
}

/** A text to be agreed on. */
export function text(content: string, name = "price.txt"): Deliverable {
  return { kind: "text", media_type: "text/plain", name, text: content };
}

/** How a session stands. */
export async function sessionOf({ host, bond }: Party, thread: string): Promise<SessionView> {
  const session = await host.session(bond, thread);
  if (!session) throw new Error(`no session on ${thread}`);
  return session;
}

/** Waits until a session stands so. */
export function stands(party: Party, thread: string, is: (session: SessionView) => unknown): Promise<SessionView> {
  const look = async () => {
    const session = await party.host.session(party.bond, thread);
    return session && is(session) ? session : undefined;
  };
  return party.host.until(look, `the session on ${thread}`, LONG);
}

/** The questions to a human about a thread. */
export async function questions({ host }: Party, thread: string): Promise<PendingItem[]> {
  return (await host.pendings()).filter(({ subject }) => "thread" in subject && subject.thread === thread);
}

/** Waits until the human is asked about a thread. */
export function question(party: Party, kind: PendingItem["subject"]["kind"], thread: string): Promise<PendingItem> {
  const look = async () => (await questions(party, thread)).find(({ subject }) => subject.kind === kind);
  return party.host.until(look, `a question: ${kind}`, LONG);
}

/** The human decides what is asked about a thread. */
export async function decide(
  party: Party,
  kind: PendingItem["subject"]["kind"],
  thread: string,
  decision: "approve" | "reject" = "approve",
): Promise<PendingItem> {
  const item = await question(party, kind, thread);
  await party.host.decide(item.id, (await codesOf(party.host, item.id))[decision]);
  return item;
}

/** A session that both humans let begin. Resolves with its thread. */
export async function live(one: Party, other: Party, more: Partial<Open> = {}): Promise<string> {
  const thread = await one.host.openSession(one.bond, terms(more));
  await decide(other, "open", thread);
  await stands(one, thread, ({ status }) => status === "live");
  return thread;
}

/** Puts a deliverable forward, and waits until the other side has it. Resolves with its hash. */
export async function propose(one: Party, other: Party, thread: string, content: Deliverable): Promise<string> {
  const { turn, sha256 } = await one.host.turn(one.bond, thread, "propose", "This.", content);
  await stands(other, thread, ({ turns }) => turns === turn);
  return sha256;
}

/** Signs, and waits until the other side knows. */
export async function sign(one: Party, other: Party, thread: string, sha256: string): Promise<void> {
  await one.host.sign(one.bond, thread, sha256);
  await stands(other, thread, ({ signedByPeer, status }) => signedByPeer === sha256 || status === "signed");
}

/** A session in which both agents signed one text; the humans are asked. */
export async function signed(
  one: Party,
  other: Party,
  more: Partial<Open> = {},
  content: Deliverable = text("120 EUR\n"),
): Promise<{ thread: string; sha256: string }> {
  const thread = await live(one, other, more);
  const sha256 = await propose(one, other, thread, content);
  await sign(other, one, thread, sha256);
  await sign(one, other, thread, sha256);
  return { thread, sha256 };
}
