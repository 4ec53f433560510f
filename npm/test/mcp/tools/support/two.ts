import type { TestContext } from "node:test";
import type { BaseHost, Host, Open } from "agentpair";
import { openTwo, type Pair, pair } from "../../../support/hosts.ts";
import { codesOf } from "../../../support/human.ts";
import { Desk, type Json, type Options } from "./server.ts";

/** Alice and Bob, bonded, each with a client at a server of their own. */
export interface Two extends Pair {
  alice: Host;
  bob: Host;
  /** Alice's client. */
  desk: Desk;
  /** Bob's client. */
  other: Desk;
}

/** Two bonded hosts, and a client of each. */
export async function two(t: TestContext, relay: string, options: Options = {}): Promise<Two> {
  const [alice, bob] = await openTwo(t, relay);
  const bonded = await pair(alice, bob);
  // What came with the bond is old when a test begins.
  for (const host of [alice, bob]) await host.markRead((await host.me()).feed);
  const [desk, other] = [await Desk.open(t, alice, options), await Desk.open(t, bob)];
  return { ...bonded, alice, bob, desk, other };
}

/** Waits for a question, and gives the human's code for it to the agent. */
export async function decide(desk: Desk, host: BaseHost, kind: string, decision: "approve" | "reject" = "approve") {
  const find = async () => (await host.pendings()).find(({ subject }) => subject.kind === kind);
  const { id } = await host.until(find, `a question: ${kind}`, { timeoutMs: 60_000 });
  const approval_code = (await codesOf(host, id))[decision];
  return desk.good("human_approve", { pending_id: id, decision, approval_code });
}

/** Waits until a session stands so. */
export function stands(host: BaseHost, peer: string, thread: string, holds: (session: Json) => boolean): Promise<true> {
  const look = async () => {
    const session = await host.session(peer, thread);
    return session && holds(session) ? (true as const) : undefined;
  };
  return host.until(look, "the session", { timeoutMs: 60_000 });
}

/** Terms that nobody minds. */
export function terms(goal: string, max_turns = 6): Open {
  const deadline = new Date(Date.now() + 3_600_000).toISOString();
  return {
    goal,
    acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
    budget: { max_turns, deadline },
    mandate: { agent_may: ["propose", "counter", "accept"], human_required: ["ratify"] },
  };
}

/** A session that Alice opened and Bob's human let begin. Resolves with its thread. */
export async function live({ alice, bob, other }: Two, max_turns = 6): Promise<string> {
  const thread = await alice.openSession("bob", terms("Fix the price of one hour", max_turns));
  await decide(other, bob, "open");
  await stands(alice, "bob", thread, ({ status }) => status === "live");
  return thread;
}
