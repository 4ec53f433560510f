import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Host } from "agentpair";
import { openHost, received } from "../../support/hosts.ts";
import { Relay } from "../../support/relay.ts";
import { Desk, type Json } from "./support/server.ts";
import { decide, terms, two } from "./support/two.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const bodies = ({ items }: Json): string[] => items.flatMap(({ body }: Json) => (body ? [body.data] : []));

/** Waits until that many messages in all have arrived. */
const arrived = (host: Host, count: number) => received(host, count);

for (const era of ["2025", "2026"] as const) {
  test(`what a call returned is read at the next one, never by itself: ${era}`, async (t) => {
    const { alice, bob } = await two(t, relay.url);
    const desk = await Desk.open(t, bob, { era });
    const before = (await bob.me()).read;
    await alice.send("bob", "one");
    await arrived(bob, 1);
    const first = await desk.good("inbox");
    assert.deepEqual([bodies(first), first.read_mark, first.more], [["one"], before, false]);
    assert.equal((await bob.me()).read, before);
    // Other tools read nothing.
    await desk.good("list_bonds");
    // Another server shows it again: this one may have died before its answer arrived.
    assert.deepEqual(bodies(await (await Desk.open(t, bob)).good("inbox")), ["one"]);
    const second = await desk.good("inbox");
    assert.deepEqual([bodies(second), second.read_mark], [[], first.next_since]);
    assert.equal((await bob.me()).read, first.next_since);
    assert.deepEqual(bodies(await desk.good("inbox", { include_history: true })), ["one"]);
    assert.deepEqual(bodies(await desk.good("inbox", { since: before })), ["one"]);
    // The peer is told that its words were looked at.
    const looked = async () => (await alice.bond("bob")).peerLookedAt;
    await alice.until(looked, "the look", { timeoutMs: 60_000 });
  });
}

test("who skips entries does not read what was skipped", async (t) => {
  const { alice, bob, other } = await two(t, relay.url);
  for (const body of ["one", "two", "three"]) await alice.send("bob", body, { thread: "t" });
  await arrived(bob, 3);
  const { items } = await other.good("inbox");
  const { read } = await bob.me();
  const desk = await Desk.open(t, bob);
  assert.deepEqual(bodies(await desk.good("inbox", { since: items[1].n })), ["three"]);
  assert.deepEqual(bodies(await desk.good("inbox")), ["one", "two", "three"]);
  assert.equal((await bob.me()).read, read);
});

test("a wait ends with the first news, and tells that it waits", async (t) => {
  const { alice, desk, other } = await two(t, relay.url);
  // Nothing of what it did itself wakes an agent.
  await other.good("send", { to: "alice", body: "Hello" });
  await other.good("inbox");
  const progress: Json[] = [];
  let begun = () => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const wait = other.good(
    "inbox_wait",
    { timeout_ms: 45_000 },
    {
      onprogress: (told) => {
        progress.push(told);
        begun();
      },
    },
  );
  await started;
  await alice.send("bob", "Hello yourself");
  const result = await wait;
  assert.deepEqual([bodies(result), result.timed_out], [["Hello yourself"], false]);
  assert.ok(result.waited_ms < 30_000);
  assert.deepEqual(progress[0], { progress: 0, total: 45_000, message: "waiting for news" });
  // And at once, if something is there already.
  assert.equal((await desk.good("inbox_wait", { timeout_ms: 45_000, since: 0 })).timed_out, false);
});

test("a wait without news ends in time", async (t) => {
  const { other } = await two(t, relay.url);
  const progress: number[] = [];
  const told = (each: { progress: number }) => progress.push(each.progress);
  const desk = await Desk.open(t, (await two(t, relay.url)).bob, { times: { progressMs: 20 } });
  const result = await desk.good("inbox_wait", { timeout_ms: 300 }, { onprogress: told });
  assert.deepEqual([result.timed_out, result.items, result.more], [true, [], false]);
  assert.ok(result.waited_ms >= 290 && result.waited_ms < 20_000, `${result.waited_ms} ms`);
  assert.ok(
    progress.length > 2 && progress.every((each, n) => n === 0 || each > (progress[n - 1] ?? 0)),
    `${progress}`,
  );
  assert.equal((await other.bad("inbox_wait", { timeout_ms: 45_001 })).code, "invalid_argument");
});

for (const era of ["2025", "2026"] as const) {
  test(`a wait that is cancelled takes nothing away: ${era}`, async (t) => {
    const { alice, bob } = await two(t, relay.url);
    const desk = await Desk.open(t, bob, { era });
    const giveUp = new AbortController();
    const wait = desk.call(
      "inbox_wait",
      { timeout_ms: 45_000 },
      { signal: giveUp.signal, onprogress: () => giveUp.abort(new Error("enough")) },
    );
    await assert.rejects(wait);
    await alice.send("bob", "still here");
    assert.deepEqual(bodies(await desk.good("inbox_wait", { timeout_ms: 45_000 })), ["still here"]);
  });
}

test("moves of the peer and of the humans are news, one's own are not", async (t) => {
  const { bob, desk, other } = await two(t, relay.url);
  const wait = (agent: Desk) => agent.good("inbox_wait", { timeout_ms: 45_000 });
  const quiet = async (agent: Desk) => {
    const { timed_out, items } = await agent.good("inbox_wait", { timeout_ms: 100 });
    assert.equal(timed_out, true, JSON.stringify(items));
  };
  const { session } = await desk.good("session_open", { to: "bob", goal: "Anything" });
  await quiet(desk);
  const opened = await wait(other);
  assert.deepEqual(
    opened.items.map(({ type, cause }: Json) => [type, cause]),
    [
      ["session", "opened"],
      ["pending", undefined],
    ],
  );
  await decide(other, bob, "open");
  assert.equal((await wait(desk)).items.at(-1).cause, "approved");
  const { thread } = session;
  await wait(other);
  const deliverable = { kind: "text", name: "a.txt", text: "A\n" };
  await desk.good("session_msg", { thread, type: "propose", body: "so", deliverable });
  await quiet(desk);
  assert.equal((await wait(other)).items.at(-1).cause, "turn");
  await bob.closeThread("alice", thread);
  assert.equal((await wait(desk)).items.at(-1).type, "thread_closed");
});

test("threads that a peer named oddly are framed, others can be used as they are", async (t) => {
  const { alice, bob, other } = await two(t, relay.url);
  await alice.send("bob", "plain", { thread: "Order.7:b-2" });
  await alice.openSession("bob", terms("A goal"));
  await arrived(bob, 1);
  const [item] = (await other.good("inbox")).items;
  assert.equal(item.thread, "Order.7:b-2");
  assert.equal(item.kind, undefined);
  const answer = await other.good("send", { to: "alice", body: "back", thread: item.thread });
  assert.equal(answer.thread, "Order.7:b-2");
});

test("two servers on one directory: the one without the network works as well", async (t) => {
  const { alice, bob } = await two(t, relay.url);
  const second = await openHost(t, { relay: relay.url, dataDir: bob.dataDir });
  const [one, two_] = [await Desk.open(t, bob), await Desk.open(t, second)];
  const waits = [one, two_].map((desk) => desk.good("inbox_wait", { timeout_ms: 45_000 }));
  await alice.send("bob", "to both");
  for (const result of await Promise.all(waits)) assert.deepEqual(bodies(result), ["to both"]);
  const sent = await two_.good("send", { to: "alice", body: "from the second" });
  assert.equal(sent.delivery, "relayed");
  const isDelivered = async () =>
    (await bob.feed({ limit: 1_000 })).find(({ event }) => event.event === "delivery" && event.state === "delivered");
  await bob.until(isDelivered, "the delivery", { timeoutMs: 60_000 });
  const [delivery] = (await one.good("inbox")).deliveries;
  assert.deepEqual(delivery, { mid: sent.mid, peer: "alice", thread: sent.thread, state: "delivered" });
  // What one has read is read.
  await one.good("inbox");
  assert.deepEqual(bodies(await two_.good("inbox")), []);
  // A question put through one is decided through the other.
  const { pending_id } = await one.good("safety_number", { peer: "alice", ask_human: true });
  assert.ok((await two_.good("list_bonds")).waiting.some((item: Json) => item.pending_id === pending_id));
  await decide(two_, second, "verify");
  assert.equal((await one.good("safety_number", { peer: "alice" })).verified, true);
});
