// Waiting for the inbox: what is cut short loses nothing, and several servers share one directory.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { type BaseHost, Host } from "agentpair";
import { openHost, pair } from "../../support/hosts.ts";
import { codesIn } from "../../support/human.ts";
import { Relay } from "../../support/relay.ts";
import { scratch } from "../../support/scratch.ts";
import { Agent, type Json } from "./support/agent.ts";
import type { Kind } from "./support/clients.ts";
import type { Message } from "./support/wire.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

/** Alice, and the directory of Bob, who is bonded with her. */
async function bonded(t: TestContext): Promise<{ alice: BaseHost; dataDir: string }> {
  const alice = await openHost(t, { relay: relay.url });
  const dataDir = join(scratch(), "bob");
  const bob = await Host.open({ relay: relay.url, dataDir });
  try {
    await pair(alice, bob);
    // What came with the bond is old when the tests begin.
    await bob.markRead((await bob.me()).feed);
  } finally {
    await bob.close();
  }
  return { alice, dataDir };
}

const start = (t: TestContext, dataDir: string, kind: Kind = "client") =>
  Agent.start(t, { kind, dataDir, relay: relay.url });
const says = (text: string) => (item: Json) => item.body?.data === text;
const words = (items: Json[]): string[] => items.flatMap(({ body }) => (body ? [body.data] : []));

/** Takes note of all that is there: what a call returned is marked as read by the next one. */
async function caughtUp(agent: Agent): Promise<void> {
  while ((await agent.good("inbox")).items.length > 0);
}

/** The answer to the call of that tool that is under way. */
function answerTo(agent: Agent): Promise<Message> {
  return new Promise((resolve) => {
    agent.wire.spy = (message) => {
      if (message.result) resolve(message);
    };
  });
}

test("a message that comes while a killed server waited is shown by the next one", async (t) => {
  const { alice, dataDir } = await bonded(t);
  const first = await start(t, dataDir);
  const wait = first.call("inbox_wait", { timeout_ms: 45_000 }).catch(() => {});
  // The server answers in order: it waits when it has answered this.
  await first.good("list_bonds");
  await first.wire.kill();
  await alice.send("bob", "while nobody was there");
  const second = await start(t, dataDir);
  const heard = await second.heard(says("while nobody was there"), "the message");
  assert.equal(heard.peer, "alice");
  await wait;
});

test("what a server had answered when it was killed is shown again, and no longer once it was taken note of", async (t) => {
  const { alice, dataDir } = await bonded(t);
  const text = "about to be read";
  const first = await start(t, dataDir);
  await caughtUp(first);
  const answer = answerTo(first);
  const wait = first.call("inbox_wait", { timeout_ms: 45_000 }).catch(() => {});
  await alice.send("bob", text);
  const { result } = await answer;
  assert.ok(JSON.stringify(result).includes(text), JSON.stringify(result));
  await first.wire.kill();
  await wait;

  const second = await start(t, dataDir);
  const shown = await second.good("inbox");
  assert.ok(shown.items.some(says(text)), JSON.stringify(shown.items));
  // A server that was only asked for other things marks nothing.
  await second.wire.kill();
  const third = await start(t, dataDir);
  assert.ok((await third.good("inbox")).items.some(says(text)));
  assert.ok(!(await third.good("inbox")).items.some(says(text)));
  await third.end();
  const fourth = await start(t, dataDir);
  assert.ok(!(await fourth.good("inbox")).items.some(says(text)));
  await fourth.end();
});

test("a wait that is cancelled is over, and loses nothing", async (t) => {
  const { alice, dataDir } = await bonded(t);
  for (const kind of ["client-2026", "sdk"] as const) {
    const agent = await start(t, dataDir, kind);
    await caughtUp(agent);
    const giveUp = new AbortController();
    const wait = agent.call("inbox_wait", { timeout_ms: 45_000 }, { signal: giveUp.signal });
    await agent.good("list_bonds");
    giveUp.abort();
    await assert.rejects(wait);
    const text = `after it was cancelled ${kind}`;
    await alice.send("bob", text);
    // Bob's host has it by now, and nobody was told: not the call that was given up either.
    const isDelivered = async () => ((await alice.outbox()).length === 0 ? true : undefined);
    await alice.until(isDelivered, "the delivery", { timeoutMs: 60_000 });
    assert.deepEqual(words((await agent.good("inbox")).items), [text]);
    await agent.end();
  }
});

test("a wait without news ends in time, and says so", async (t) => {
  const { dataDir } = await bonded(t);
  const agent = await start(t, dataDir);
  await caughtUp(agent);
  const result = await agent.good("inbox_wait", { timeout_ms: 700 });
  assert.deepEqual([result.items, result.timed_out], [[], true]);
  assert.ok(result.waited_ms >= 690 && result.waited_ms < 10_000, `${result.waited_ms} ms`);
  const { code } = await agent.bad("inbox_wait", { timeout_ms: 60_000 });
  assert.equal(code, "invalid_argument");
});

test("two servers on one directory both hear, send, wait and approve", async (t) => {
  const { alice, dataDir } = await bonded(t);
  const [one, other] = await Promise.all([start(t, dataDir), start(t, dataDir, "sdk")]);
  for (const agent of [one, other]) await caughtUp(agent);
  // Both wait for the same message.
  const waits = [one, other].map((agent) => agent.heard(says("to both"), "the message"));
  await alice.send("bob", "to both");
  await Promise.all(waits);
  // Both send, at once and on one thread.
  const sent = await Promise.all(
    [one, other].flatMap((agent, index) =>
      [1, 2, 3].map((n) => agent.good("send", { to: "alice", body: `word ${n} of server ${index}`, thread: "both" })),
    ),
  );
  assert.deepEqual(
    sent.map(({ seq }) => seq).sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6],
  );
  const all = async () => {
    const bodies = (await alice.feed({ limit: 1_000 })).flatMap(({ event }) =>
      event.event === "message" ? [event.body] : [],
    );
    return bodies.length === 6 ? bodies : undefined;
  };
  const bodies = await alice.until(all, "six messages", { timeoutMs: 60_000 });
  assert.equal(new Set(bodies).size, 6);
  // A question that one has put is decided through the other.
  const { pending_id } = await one.good("safety_number", { peer: "alice", ask_human: true });
  const asked = (await other.waiting()).find((item) => item.pending_id === pending_id);
  const approval_code = codesIn(asked?.approval_path ?? "").approve;
  await other.good("human_approve", { pending_id, decision: "approve", approval_code });
  assert.equal((await one.good("safety_number", { peer: "alice" })).verified, true);
  assert.equal((await one.bad("human_approve", { pending_id, approval_code })).code, "pending_not_found");
  // One goes, and the other goes on: it takes over the network.
  await one.wire.kill();
  await alice.send("bob", "to the one that is left");
  await other.heard(says("to the one that is left"), "the message");
  assert.ok(words(other.inbox).includes("to both"));
});
