import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Host, PendingItem } from "agentpair";
import { openHost } from "../../../support/hosts.ts";
import { codesIn } from "../../../support/human.ts";
import { scratch } from "../../../support/scratch.ts";

/** The questions that come one after another on the way from nothing to an agreement. */
export const GATES = ["join", "open", "ratify"] as const;
export type Gate = (typeof GATES)[number];

const TEXT = { kind: "text", media_type: "text/plain", name: "price.txt", text: "120 EUR\n" } as const;

/**
 * Alice leads Bob from gate to gate; at each, a question waits for Bob's human. Both are hosts in this process: whoever
 * shall decide opens Bob's directory too.
 */
export class Stages {
  readonly alice: Host;
  readonly bob: Host;
  /** Bob's directory. */
  readonly dataDir: string;
  #pairing = "";
  #joining = "";
  #thread = "";

  private constructor(alice: Host, bob: Host, dataDir: string) {
    this.alice = alice;
    this.bob = bob;
    this.dataDir = dataDir;
  }

  static async start(t: TestContext, relay: string): Promise<Stages> {
    const dataDir = join(scratch(), "bob");
    const [alice, bob] = [await openHost(t, { relay }), await openHost(t, { relay, dataDir })];
    return new Stages(alice, bob, dataDir);
  }

  /** The thread of the session. */
  get thread(): string {
    return this.#thread;
  }

  /** Leads to a gate, the one before having been passed. Resolves with the question. */
  async reach(gate: Gate): Promise<PendingItem> {
    await this[gate]();
    const isIt = ({ subject }: PendingItem) =>
      subject.kind === gate && (!("thread" in subject) || subject.thread === this.#thread);
    const asked = async () => (await this.bob.pendings()).find(isIt);
    return this.bob.until(asked, `the question: ${gate}`, { timeoutMs: 60_000 });
  }

  async join(): Promise<void> {
    const { code, pairing } = await this.alice.invite({ petname: "bob", timeoutMs: 30_000 });
    this.#pairing = pairing;
    this.#joining = await this.bob.join(code, { petname: "alice" });
  }

  async open(): Promise<void> {
    this.#thread = await this.alice.openSession("bob", {
      goal: "Fix the price of one hour",
      acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
      budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
      mandate: { agent_may: ["propose", "accept"], human_required: ["ratify"] },
    });
  }

  async ratify(): Promise<void> {
    const { alice, bob, thread } = this;
    const { sha256 } = await alice.turn("bob", thread, "propose", "A fair price.", TEXT);
    const isMyTurn = async () => (await bob.session("alice", thread))?.yourTurn || undefined;
    await bob.until(isMyTurn, "the proposal", { timeoutMs: 60_000 });
    await bob.accept("alice", thread, sha256, "Agreed.");
    await bob.sign("alice", thread, sha256);
    const isAccepted = async () => ((await alice.session("bob", thread))?.signedByPeer ? true : undefined);
    await alice.until(isAccepted, "Bob's signature", { timeoutMs: 60_000 });
    await alice.sign("bob", thread, sha256);
  }

  /** Waits until Alice has noticed that Bob's human approved. */
  async passed(gate: Gate): Promise<void> {
    const { alice, bob, thread } = this;
    if (gate === "join") {
      await Promise.all([alice.bonded(this.#pairing), bob.bonded(this.#joining)]);
      return;
    }
    const holds = async () => {
      const session = await alice.session("bob", thread);
      return (gate === "open" ? session?.status === "live" : session?.ratifiedByPeer) || undefined;
    };
    await alice.until(holds, `what follows from ${gate}`, { timeoutMs: 60_000 });
  }

  /** Fails if the question was decided. */
  async assertOpen(pending: string, after: string): Promise<void> {
    const ids = (await this.bob.pendings()).map(({ id }) => id);
    assert.ok(ids.includes(pending), `${after} decided the question`);
    const decided = (await this.bob.audit({ limit: 10_000 })).filter(
      ({ act, facts = [] }) => act === "human_decided" && facts.some(([, value]) => value === pending),
    );
    assert.deepEqual(decided, [], `${after} decided the question`);
  }

  /** By which channel a question was decided, as the audit log has it. */
  async channelOf(pending: string): Promise<string | undefined> {
    for (const { act, facts = [] } of await this.bob.audit({ limit: 10_000 })) {
      const isIt = act === "human_decided" && facts.some(([name, value]) => name === "pending" && value === pending);
      if (isIt) return facts.find(([name]) => name === "channel")?.[1];
    }
    return undefined;
  }
}

/** The codes of a question, as its human reads them, and one that is neither. */
export function codesOfItem({ place }: PendingItem): { approve: string; reject: string; wrong: string } {
  const { approve, reject } = codesIn(place ?? "");
  const wrong = ["111111", "222222", "333333"].find((code) => code !== approve && code !== reject) ?? "";
  return { approve, reject, wrong };
}
