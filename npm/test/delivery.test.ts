import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openHost, openTwo, pair, received } from "./support/hosts.ts";
import { Relay } from "./support/relay.ts";
import { Remote } from "./support/remote.ts";
import { scratch } from "./support/scratch.ts";

/** Process id of whoever may use the network. */
function leaseHolder(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, "agentpair.db"), { readOnly: true });
  const lease = database.prepare("SELECT owner FROM lease").get();
  database.close();
  return Number(String(lease?.owner).split("/")[1]);
}

const numbers = (count: number, prefix = "") => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

test("what does not fit an envelope arrives whole, and in its place", async (t) => {
  const relay = await Relay.start(t);
  const { alice, bob, bond } = await pair(...(await openTwo(t, relay.url)));
  const line = '"Größe": 日本語 🙂\n';
  const bodies = ["before", line.repeat(100_000), "between", "x".repeat(70_000), "after"];
  for (const body of bodies) await alice.send(bond.id, body, { thread: "large" });
  const got = await received(bob, bodies.length, 120_000);
  assert.deepEqual(
    got.map(({ length }) => length),
    bodies.map(({ length }) => length),
  );
  assert.ok(got.every((body, n) => body === bodies[n]));
  await assert.rejects(alice.send(bond.id, "x".repeat(11 * 1024 * 1024)), { code: "payload_too_large" });
});

test("two processes on one directory send and receive, nothing is lost or doubled, one is killed", async (t) => {
  const relay = await Relay.start(t);
  const options = { dataDir: join(scratch(), "data"), relay: relay.url, label: "Alice" };
  const alice = await openHost(t, options);
  const bob = await openHost(t, { relay: relay.url, label: "Bob" });
  const { bond, back } = await pair(alice, bob);
  const [first, second] = [new Remote(t, options), new Remote(t, options)];
  // They wait for the network lease: the first host held it, and now one of the two gets it.
  await alice.close();

  const send = async (host: Remote, prefix: string) => {
    for (const body of numbers(200, prefix)) await host.call("send", bond.id, body, { thread: "both" });
  };
  const answer = async () => {
    for (const body of numbers(200, "bob ")) await bob.send(back.id, body, { thread: "back" });
  };
  await Promise.all([send(first, "one "), send(second, "two "), answer()]);
  await received(bob, 400, 120_000);

  const holdsLease = first.pid === leaseHolder(options.dataDir);
  const [holding, other] = holdsLease ? [first, second] : [second, first];
  assert.equal(holding.pid, leaseHolder(options.dataDir));
  await holding.kill();
  await bob.send(back.id, "still there?", { thread: "back" });
  const arrived = async (host: Remote) => {
    const feed = await host.call("feed", { limit: 10_000 });
    return feed.flatMap(({ event }) => (event.event === "message" ? [event.body] : []));
  };
  await other.until(async (host) => (await arrived(host)).length >= 201 || undefined, "all of Bob's", 120_000);
  await other.call("send", bond.id, "yes", { thread: "both" });
  const got = await received(bob, 401);

  assert.deepEqual(await arrived(other), [...numbers(200, "bob "), "still there?"]);
  const of = (prefix: string) => got.filter((body) => body.startsWith(prefix));
  assert.deepEqual(of("one "), numbers(200, "one "));
  assert.deepEqual(of("two "), numbers(200, "two "));
  assert.equal(got.length, 401);
});
