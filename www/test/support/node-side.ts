import type { TestContext } from "node:test";
import type { BondView, Deliverable, Host, PendingItem, SessionView } from "agentpair";
import { openHost } from "../../../npm/test/support/hosts.ts";
import { codesOf } from "../../../npm/test/support/human.ts";

const LIMIT = { timeoutMs: 60_000 };

/** The terms of a negotiation that the Node side opens. */
export const terms = (goal: string) => ({
  goal,
  acceptance: [{ id: "price", test: "judgment" as const, desc: "one number with a currency" }],
  budget: { max_turns: 6, deadline: new Date(Date.now() + 3_600_000).toISOString() },
  mandate: { agent_may: ["propose", "counter", "accept"], human_required: ["ratify"] },
});

/** Data that the Node side puts forward. */
export const PRICE: Deliverable = {
  kind: "json",
  media_type: "application/json",
  name: "price.json",
  text: '{"per_hour":{"amount":"120.00","currency":"EUR"},"from":"2027-01-01"}',
};

/** Somebody whose agent runs in Node, on one bond with the page. */
export class NodeSide {
  readonly host: Host;
  #bond: string | undefined;

  private constructor(host: Host) {
    this.host = host;
  }

  static async start(t: TestContext, relay: string, label: string): Promise<NodeSide> {
    return new NodeSide(await openHost(t, { relay, label }));
  }

  /** The bond with the page. */
  get bond(): string {
    if (this.#bond === undefined) throw new Error("there is no bond yet");
    return this.#bond;
  }

  /** Makes an invite by words. */
  async invite(petname: string): Promise<{ code: string; pairing: string }> {
    return this.host.invite({ form: "words", petname });
  }

  /** Waits for the bond of a pairing. */
  async bonded(pairing: string): Promise<BondView> {
    const bond = await this.host.bonded(pairing, LIMIT);
    this.#bond = bond.id;
    return bond;
  }

  /** Uses a code; its human agrees. */
  async join(code: string, petname: string): Promise<BondView> {
    const pairing = await this.host.join(code, { petname });
    await this.decide("join", "approve");
    return this.bonded(pairing);
  }

  /** Its human waits for such a question, and decides it by the code in the file. */
  async decide(kind: PendingItem["subject"]["kind"], decision: "approve" | "reject", reason?: string): Promise<void> {
    const find = async () => (await this.host.pendings()).find(({ subject }) => subject.kind === kind);
    const { id } = await this.host.until(find, `a question: ${kind}`, LIMIT);
    const codes = await codesOf(this.host, id);
    await this.host.decide(id, codes[decision], reason === undefined ? {} : { reason });
  }

  /** Its human says that the number is the same. Resolves with the number. */
  async compare(): Promise<string> {
    const number = await this.host.safetyNumber(this.bond);
    await this.host.verify(this.bond);
    await this.decide("verify", "approve");
    return number.join(" ");
  }

  /** Waits until a negotiation about that stands so. */
  session(goal: string, is: (view: SessionView) => boolean): Promise<SessionView> {
    const find = async () => (await this.host.sessions()).find((view) => view.terms.goal === goal && is(view));
    return this.host.until(find, `a negotiation that stands as wanted: ${goal}`, LIMIT);
  }

  /** Opens a negotiation. Resolves with its thread. */
  open(goal: string): Promise<string> {
    return this.host.openSession(this.bond, terms(goal));
  }
}
