import { join } from "node:path";
import type { TestContext } from "node:test";
import { type AgentPairError, type BaseHost, type BondView, Host, type OpenOptions } from "agentpair";
import { approveNext } from "./human.ts";
import { scratch } from "./scratch.ts";

/** Opens a host in a directory of its own, and closes it after the test. Problems that nobody expects fail the test. */
export async function openHost(t: TestContext, options: OpenOptions): Promise<Host> {
  const problems: AgentPairError[] = [];
  const dataDir = options.dataDir ?? join(scratch(t), "data");
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
  let since = 0;
  for (;;) {
    const items = await host.feed({ since, limit: 1_000 });
    if (items.length === 0) return bodies;
    for (const { n, event } of items) {
      if (event.event === "message") bodies.push(event.body);
      since = n;
    }
  }
}
