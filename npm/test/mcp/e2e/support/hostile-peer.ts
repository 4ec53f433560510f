import assert from "node:assert/strict";
import { type AgentPairError, BaseHost, type BondView, safetyNumber } from "agentpair";
import { MemoryDisk, MemoryStore, QuestionList } from "agentpair/testing";
import type { Afterwards } from "../../../support/scratch.ts";
import type { Agent } from "./agent.ts";
import { Pen } from "./pen.ts";

/** A bonded peer with no scruples: once it has turned, it writes envelopes that no host would. */
export class HostilePeer {
  /** Its bond with the victim. */
  readonly bond: BondView;
  /** Its host, honest until it turns. */
  readonly host: BaseHost;
  readonly #disk: MemoryDisk;
  #pen: Pen | undefined;

  private constructor(host: BaseHost, disk: MemoryDisk, bond: BondView) {
    this.host = host;
    this.#disk = disk;
    this.bond = bond;
  }

  /** Bonds with a victim, which calls it `petname`. */
  static async pair(t: Afterwards, relay: string, victim: Agent, petname: string): Promise<HostilePeer> {
    const disk = new MemoryDisk();
    const problems: AgentPairError[] = [];
    const host = await BaseHost.start({
      store: new MemoryStore(disk),
      human: new QuestionList(),
      network: true,
      relay,
      onProblem: (error) => problems.push(error),
      safetyNumber,
    });
    t.after(async () => {
      await host.close();
      if (problems[0]) throw problems[0];
    });
    const { code, pairing } = await host.invite({ petname: "victim", timeoutMs: 30_000 });
    const joining = await victim.good("pair_join", { code, petname });
    await victim.decide("join", "approve", ({ pending_id }) => pending_id === joining.pending_id);
    const bond = await host.bonded(pairing, { timeoutMs: 60_000 });
    const done = await victim.good("pair_init_complete", { pairing: joining.pairing });
    assert.equal(done.status, "bonded");
    return new HostilePeer(host, disk, bond);
  }

  /** Ends the honest host, and takes its keys. */
  async turn(): Promise<void> {
    await this.host.close();
    this.#pen = new Pen(this.bond, this.#disk.records.get(`secret/${this.bond.id}`)?.value);
  }

  /** Its hand, once it has turned. */
  get pen(): Pen {
    assert.ok(this.#pen, "it has not turned yet");
    return this.#pen;
  }
}
