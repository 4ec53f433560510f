import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { FeedItem } from "agentpair";
import { Relay } from "./support/relay.ts";
import { Remote } from "./support/remote.ts";
import { pairRemotes } from "./support/remotes.ts";
import { scratch } from "./support/scratch.ts";

/** `make ten-thousand` sends ten times as many. */
const COUNT = Number(process.env.AGENTPAIR_MESSAGES ?? 1_000);

/** The whole feed of a host. */
async function feedOf(host: Remote): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  for (;;) {
    const page = await host.call("feed", { since: items.at(-1)?.n ?? 0, limit: 5_000 });
    if (page.length === 0) return items;
    items.push(...page);
  }
}

test(`${COUNT} messages arrive once and in order, although the relay is killed twice on the way`, async (t) => {
  const began = Date.now();
  const relay = await Relay.start(t);
  // Each in a process of its own: one alone would do the work of both.
  const [alice, bob] = ["Alice", "Bob"].map(
    (label) => new Remote(t, { dataDir: join(scratch(), "data"), relay: relay.url, label }),
  ) as [Remote, Remote];
  const { bond } = await pairRemotes(alice, bob);
  const { feed: before } = await bob.call("me");

  const bodies = Array.from({ length: COUNT }, (_, n) => `${n}`);
  const sending = Promise.all(bodies.map((body) => alice.call("send", bond.id, body, { thread: "count" })));
  const arrived = (count: number) =>
    bob.until(
      async () => (await bob.call("me")).feed >= before + count || undefined,
      `${count} messages`,
      60_000 + COUNT * 60,
    );
  for (const part of [1 / 3, 2 / 3]) {
    await arrived(Math.floor(COUNT * part));
    await relay.crash();
  }
  const sent = await sending;
  await arrived(COUNT);
  const isDelivered = async () => (await alice.call("outbox")).length === 0 || undefined;
  await alice.until(isDelivered, "the acknowledgements");
  t.diagnostic(`${((Date.now() - began) / 1000).toFixed(1)} s`);

  const got = (await feedOf(bob)).flatMap(({ event }) =>
    event.event === "message" && event.thread === "count" ? [event] : [],
  );
  assert.equal(got.length, COUNT);
  assert.deepEqual(
    got.map(({ body }) => body),
    bodies,
  );
  assert.deepEqual(
    got.map(({ seq }) => seq),
    sent.map(({ seq }) => seq),
  );

  const told: { [mid: string]: string[] } = {};
  for (const { event } of await feedOf(alice)) {
    if (event.event !== "delivery" || event.thread !== "count") continue;
    told[event.mid] ??= [];
    told[event.mid]?.push(event.state);
  }
  const states = sent.map(({ mid }) => told[mid]?.join());
  const [whole, short] = ["relayed,delivered", "delivered"].map((all) => states.filter((one) => one === all).length);
  // At each crash one may have been at the relay, and acknowledged before the relay's answer could be had again.
  assert.ok((short ?? 0) <= 2, `${short} were delivered without having been relayed`);
  assert.equal((whole ?? 0) + (short ?? 0), COUNT);
});
