import { join } from "node:path";
import type { TestContext } from "node:test";
import { type AgentPairError, type BaseHost, type BondView, Host, type OpenOptions } from "agentpair";
import { approveNext } from "./human.ts";
import { scratch } from "./scratch.ts";

/** Opens a host in a directory of its own, and closes it after the test. Problems that nobody expects fail the test. */
export async function openHost(t: TestContext, options: OpenOptions): Promise<Host> {
  const problems: AgentPairError[] = [];
  const dataDir = options.dataDir ?? join(scratch(), "data");
  const host = await Host.open({ onProblem: (error) => problems.push(error), ...options, dataDir });
  t.after(async () => {
    await host.close();
    if (problems[0]) throw problems[0];
  });
  return host;
}

/** Two hosts on one relay. */
export async function openTwo(t: TestContext, relay: string): Promise<[Host, Host]> {
  return [await openHost(t, { relay, label: "Alice" }), await openHost(t, { relay, label: "Bob" })];
}

/** Two hosts with an active bond. */
export interface Pair {
  alice: BaseHost;
  bob: BaseHost;
  /** Alice's bond with Bob. */
  bond: BondView;
  /** Bob's bond with Alice. */
  back: BondView;
}

/** Pairs two hosts by words. */
export async function pair(alice: BaseHost, bob: BaseHost): Promise<Pair> {
  const { pairing, code } = await alice.invite({ petname: "bob", timeoutMs: 30_000 });
  const joining = await bob.join(code, { petname: "alice" });
  await approveNext(bob, "join");
  const [bond, back] = await Promise.all([
    alice.bonded(pairing, { timeoutMs: 60_000 }),
    bob.bonded(joining, { timeoutMs: 60_000 }),
  ]);
  return { alice, bob, bond, back };
}

/** The messages that a host has received, in the order of its feed. */
export async function messages(host: BaseHost): Promise<string[]> {
  const bodies: string[] = [];
  for (let since = 0; ; ) {
    const items = await host.feed({ since, limit: 1_000 });
    const last = items.at(-1);
    if (!last) return bodies;
    since = last.n;
    for (const { event } of items) if (event.event === "message") bodies.push(event.body);
  }
}

/** Follows a host until it has received that many messages in all. Resolves with all that are there then. */
export async function received(host: BaseHost, count: number, timeoutMs = 60_000): Promise<string[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  let missing = count;
  if (missing === 0) return [];
  for await (const { event } of host.events({ since: 0, signal })) {
    if (event.event === "message") missing -= 1;
    if (missing === 0) break;
  }
  return messages(host);
}
