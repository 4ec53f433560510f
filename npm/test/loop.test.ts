import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { AgentPairError, BaseHost, type HostParts, type Store, safetyNumber, type Transaction } from "agentpair";
import { MemoryDisk, MemoryStore, QuestionList } from "agentpair/testing";
import { openHost, pair, received } from "./support/hosts.ts";
import { Relay } from "./support/relay.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

/**
 * A store that fails when told to: before the work, after it when nothing has been written, as a panic does, or for good
 * when a question is to be shown.
 */
class Failing implements Store {
  fail: "before" | "after" | "panic" | "asking" | undefined;
  failures = 0;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get self() {
    return this.#store.self;
  }

  transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T> {
    const { fail } = this;
    const broken = () => {
      this.failures += 1;
      if (fail === "panic") throw new WebAssembly.RuntimeError("unreachable");
      throw new AgentPairError("store_failed", "caller", "the disk is full");
    };
    if (fail === "before") return Promise.resolve().then(broken);
    if (fail === "asking") {
      const gone = new AgentPairError("store_gone", "caller", "it was deleted");
      return since === undefined ? Promise.reject(gone) : this.#store.transact(since, work);
    }
    return this.#store.transact(since, (transaction) => {
      const result = work(transaction);
      return fail ? broken() : result;
    });
  }

  entries(...all: Parameters<Store["entries"]>) {
    return this.#store.entries(...all);
  }

  version() {
    return this.#store.version();
  }

  isGone(owner: string) {
    return this.#store.isGone(owner);
  }

  close() {
    return this.#store.close();
  }
}

const parts = (store: Store, relay: string, onProblem: (error: AgentPairError) => void = assert.fail): HostParts => ({
  store,
  human: new QuestionList(),
  network: true,
  relay,
  onProblem,
  safetyNumber,
});

test("W30_what_could_not_be_stored_comes_again: a store that fails for a while costs nothing", async (t) => {
  const store = new Failing(new MemoryStore());
  const problems: string[] = [];
  const alice = await BaseHost.start(parts(store, relay.url, ({ code }) => problems.push(code)));
  t.after(() => alice.close());
  const bob = await openHost(t, { relay: relay.url });
  const { bond } = await pair(alice, bob);

  const sent: string[] = [];
  for (const fail of ["before", "after"] as const) {
    sent.push(`sent ${fail}`, `kept ${fail}`);
    await alice.send(bond.id, `sent ${fail}`, { thread: "one" });
    store.fail = fail;
    await assert.rejects(alice.send(bond.id, "lost", { thread: "one" }), { code: "store_failed" });
    // Messages of the other side arrive meanwhile, and cannot be stored.
    await bob.send("alice", `from bob ${fail}`, { thread: "two" });
    const failures = store.failures;
    for (let n = 0; n < 200 && store.failures < failures + 2; n++) await setTimeout(50);
    assert.ok(store.failures >= failures + 2, "it tries, and tries again");
    store.fail = undefined;
    await alice.send(bond.id, `kept ${fail}`, { thread: "one" });
    assert.deepEqual(await received(bob, sent.length), sent);
  }
  assert.deepEqual(await received(alice, 2), ["from bob before", "from bob after"]);
  assert.ok(
    problems.every((code) => code === "store_failed"),
    problems.join(),
  );
});

test("after a panic a host does nothing more, and leaves the network to others", async (t) => {
  const disk = new MemoryDisk();
  const [store, other] = [new Failing(new MemoryStore(disk)), new MemoryStore(disk)];
  const problems: string[] = [];
  const host = await BaseHost.start(parts(store, relay.url, ({ code }) => problems.push(code)));
  t.after(() => host.close());
  const lease = () => other.transact(undefined, (transaction) => transaction.lease?.owner);
  assert.equal(await lease(), store.self);
  store.fail = "panic";
  await assert.rejects(host.setLabel("me"), { code: "panicked", blame: "bug" });
  store.fail = undefined;
  await assert.rejects(host.me(), { code: "panicked", message: /restart this process/ });
  for (let n = 0; n < 200 && (await lease()) !== undefined; n++) await setTimeout(50);
  assert.equal(await lease(), undefined);
  assert.deepEqual([...new Set(problems)], ["panicked"]);
  await host.close();
});

test("what ends a host is told once, even if it is noticed where nobody waits for it", async (t) => {
  const store = new Failing(new MemoryStore());
  const problems: string[] = [];
  const alice = await BaseHost.start(parts(store, relay.url, ({ code }) => problems.push(code)));
  t.after(() => alice.close());
  const { bond } = await pair(alice, await openHost(t, { relay: relay.url }));
  store.fail = "asking";
  await alice.brake(bond.id, "to be shown");
  const look = async () => ((await alice.me()).feed > 1_000 ? true : undefined);
  await assert.rejects(alice.until(look, "what never comes"), { code: "store_gone" });
  assert.deepEqual(problems, ["store_gone"]);
});

test("who is told of problems, and fails at that, breaks nothing", async (t) => {
  const thrown: unknown[] = [];
  process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error));
  t.after(() => process.setUncaughtExceptionCaptureCallback(null));
  class NoPaper extends QuestionList {
    override show(): void {
      throw new Error("no paper");
    }
  }
  const onProblem = () => {
    throw new Error("nobody listens");
  };
  const alice = await BaseHost.start({ ...parts(new MemoryStore(), relay.url, onProblem), human: new NoPaper() });
  t.after(() => alice.close());
  const bob = await openHost(t, { relay: relay.url });
  const { bond } = await pair(alice, bob);
  const pending = await alice.brake(bond.id, "to be shown");
  assert.deepEqual(
    (await alice.pendings()).map(({ id }) => id),
    [pending],
  );
  assert.deepEqual(thrown.map(String), ["Error: nobody listens"]);
  await bob.send("alice", "it goes on");
  assert.deepEqual(await received(alice, 1), ["it goes on"]);
});

test("a process that overslept its lease does not use the network again before it has it", async (t) => {
  const disk = new MemoryDisk();
  const [one, other] = [new MemoryStore(disk), new MemoryStore(disk)];
  const alice = await BaseHost.start(parts(one, relay.url));
  t.after(() => alice.close());
  const bob = await openHost(t, { relay: relay.url });
  const { bond } = await pair(alice, bob);

  // Another process finds the lease void, and takes it.
  await other.transact(undefined, (transaction) => {
    transaction.setLease({ owner: other.self, until: Date.now() + 15_000 });
  });
  await alice.send(bond.id, "stored", { thread: "one" });
  await bob.send("alice", "waiting", { thread: "two" });
  assert.ok((await alice.outbox()).some(({ thread, state }) => thread === "one" && state === "queued"));
  // The other process ends, and its lease with it.
  await other.close();
  assert.deepEqual(await received(bob, 1), ["stored"]);
  assert.deepEqual(await received(alice, 1), ["waiting"]);
});

test("a closed host says so, and ends those who wait", async (t) => {
  const host = await openHost(t, { relay: "http://127.0.0.1:9", network: false });
  const events = (async () => {
    const seen: unknown[] = [];
    for await (const item of host.events()) seen.push(item);
    return seen;
  })();
  const waiting = host.until(async () => undefined, "ever", { timeoutMs: 60_000 }).catch((error) => error.code);
  await host.me();
  await host.close();
  await host.close();
  assert.deepEqual(await events, []);
  assert.equal(await waiting, "host_closed");
  await assert.rejects(host.send("bob", "hello"), { code: "host_closed" });
});

test("a mistake is told in words, with a code and who is to blame", async (t) => {
  const host = await openHost(t, { relay: "http://127.0.0.1:9", network: false });
  await assert.rejects(host.send("nobody", "hello"), {
    name: "AgentPairError",
    code: "bond_not_found",
    blame: "policy",
  });
  await assert.rejects(host.cancel("none"), { code: "pair_not_found", blame: "policy" });
  await assert.rejects(host.openSession("nobody", {} as never), { code: "invalid_argument", blame: "caller" });
  await assert.rejects(openHost(t, { relay: "relay.example" }), {
    code: "invalid_argument",
    message: /^the relay must be a base URL such as https:/,
  });
});

test("many listeners hear the same events, from where they want", async (t) => {
  const [alice, bob] = [await openHost(t, { relay: relay.url }), await openHost(t, { relay: relay.url })];
  const { bond } = await pair(alice, bob);
  const listen = async (since: number) => {
    const numbers: number[] = [];
    for await (const { n, event } of bob.events({ since })) {
      numbers.push(n);
      if (event.event === "message" && event.body === "last") return numbers;
    }
    return numbers;
  };
  const end = (await bob.me()).feed;
  const listening = [listen(0), listen(0), listen(end)];
  for (const body of ["first", "second", "last"]) await alice.send(bond.id, body, { thread: "one" });
  const [all, again, late] = await Promise.all(listening);
  assert.deepEqual(all, again);
  assert.deepEqual(
    all,
    Array.from({ length: all?.length ?? 0 }, (_, n) => n + 1),
  );
  assert.deepEqual(late, all?.slice(end));
  // Whoever has enough is given nothing more, even if more is there.
  const enough = new AbortController();
  const some: number[] = [];
  await assert.rejects(async () => {
    for await (const { n } of bob.events({ since: 0, signal: enough.signal })) {
      some.push(n);
      enough.abort(new Error("enough"));
    }
  }, /^Error: enough$/);
  assert.deepEqual(some, [1]);
});
