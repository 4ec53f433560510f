// How a host ends, also where something keeps it from ending well.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AgentPairError, BaseHost, Host, type HostParts, safetyNumber, type Transaction, wipe } from "agentpair";
import { MemoryDisk, MemoryStore, QuestionList } from "agentpair/testing";
import { scratch } from "./support/scratch.ts";
import { within } from "./support/within.ts";

/** A store that can be told to write nothing, and whose end takes a while. */
class Odd extends MemoryStore {
  isFull = false;
  isClosed = false;

  override async transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T> {
    if (this.isFull) throw new AgentPairError("store_failed", "caller", "the disk is full");
    return super.transact(since, work);
  }

  override async close(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await super.close();
    this.isClosed = true;
  }
}

const parts = (store: MemoryStore, human = new QuestionList()): HostParts => ({
  store,
  human,
  network: true,
  relay: "",
  onProblem: () => {},
  safetyNumber,
});

test("whoever closes a host that is being closed waits for its end too", async () => {
  const store = new Odd();
  const host = await BaseHost.start(parts(store));
  const first = host.close();
  await host.close();
  assert.ok(store.isClosed);
  await first;
});

test("a host that cannot store any more ends all the same: who waits is told, and the store is closed", async () => {
  const store = new Odd();
  const host = await BaseHost.start(parts(store));
  const waiting = host.until(async () => undefined, "ever").catch(({ code }) => code);
  await host.me();
  store.isFull = true;
  await assert.rejects(host.close(), { code: "store_failed" });
  assert.equal(await within(waiting, "the end of a wait", 5_000), "host_closed");
  assert.ok(store.isClosed);
});

test("what could not be opened leaves nothing open behind", async () => {
  const [unnamed, broken] = [join(scratch(), "data"), scratch()];
  await assert.rejects(Host.open({ dataDir: unnamed, label: "\n" }), { code: "invalid_argument" });
  writeFileSync(join(broken, "approvals"), "no directory");
  await assert.rejects(Host.open({ dataDir: broken, network: false }), { code: "store_failed" });
  // Refused while anybody has the database open.
  for (const dataDir of [unnamed, broken]) assert.deepEqual((await wipe(dataDir)).foreign, []);
});

test("who takes the network over looks after the questions, even if that fails at first", async (t) => {
  const disk = new MemoryDisk();
  const other = new MemoryStore(disk);
  const until = Date.now() + 15_000;
  await other.transact(undefined, (transaction) => transaction.setLease({ owner: other.self, until }));
  let failures = 0;
  const removed: string[] = [];
  class Stale extends QuestionList {
    override shown(): string[] {
      if (failures++ === 0) throw new Error("too many open files");
      return ["of long ago"];
    }
    override remove(pending: string): void {
      removed.push(pending);
    }
  }
  const host = await BaseHost.start(parts(new MemoryStore(disk), new Stale()));
  t.after(() => host.close());
  await other.close();
  for (let n = 0; n < 100 && removed.length === 0; n++) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(removed, ["of long ago"]);
});
