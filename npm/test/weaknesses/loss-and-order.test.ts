// What a crash, a lost answer, a lost row or a sleep may do to mail and to sessions: nothing.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, type TestContext, test } from "node:test";
import { type Host, verifyReceipt } from "agentpair";
import { openHost, openTwo, pair, received } from "../support/hosts.ts";
import { codesOf } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { Remote } from "../support/remote.ts";
import { scratch } from "../support/scratch.ts";
import { eventsOf, heard, said } from "./support/feeds.ts";
import { decide, type Party, question, sessionOf, stands, terms, text } from "./support/gate-sessions.ts";
import { type Asked, bodyOf, HostileRelay, type Told } from "./support/hostile-relay.ts";

/** One for all tests of this file. */
const real = await Relay.start({ after });

const LONG = { timeoutMs: 60_000 };
const DAY_MS = 86_400_000;

/** Two bonded hosts in the hands of a hostile relay. */
async function victims(t: TestContext) {
  const relay = await HostileRelay.start(t, real.url);
  const { alice, bob, bond, back } = await pair(...(await openTwo(t, relay.url)));
  return { relay, alice: alice as Host, bob: bob as Host, bond, back };
}

/** The positions that a sender used on a thread, in order: none ever stood for two envelopes. */
function positions(relay: HostileRelay, sender: string, thread: string): number[] {
  const seen = new Map<number, string>();
  for (const { wire } of relay.mail) {
    const { thread: on, from, seq } = bodyOf(wire);
    if (on !== thread || from !== sender) continue;
    assert.ok((seen.get(seq) ?? wire) === wire, `position ${seq} was used for two envelopes`);
    seen.set(seq, wire);
  }
  return [...seen.keys()];
}

/** Waits until nothing of a host is under way. */
function delivered(host: Host): Promise<unknown> {
  return host.until(async () => (await host.outbox()).length === 0 || undefined, "the acknowledgements", LONG);
}

describe("what may be lost, and is not", { concurrency: 4 }, () => {
  test("W26_positions_go_on_after_a_crash, and nothing of the next life is taken for old", async (t) => {
    const relay = await HostileRelay.start(t, real.url);
    const alice = new Remote(t, { dataDir: join(scratch(), "alice"), relay: relay.url });
    const bob = await openHost(t, { relay: relay.url });
    const { pairing, code } = await bob.invite({ timeoutMs: 30_000 });
    await alice.call("join", code, { petname: "bob" });
    await alice.approve("join");
    await bob.bonded(pairing, LONG);
    const active = async () => (await alice.call("bonds")).find(({ status }) => status === "active");
    const { id, own } = await alice.until(active, "the bond");
    const bodies: string[] = [];
    for (let life = 1; life <= 3; life++) {
      for (let n = 1; n <= 3; n++) {
        bodies.push(`life ${life}, ${n}`);
        await alice.call("send", id, bodies.at(-1) ?? "", { thread: "one" });
      }
      await alice.crash();
    }
    assert.deepEqual(await received(bob, bodies.length), bodies);
    assert.deepEqual(positions(relay, own, "one"), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("W26_an_older_copy_of_the_store_notices_and_jumps ahead, although nobody said that it is one", async (t) => {
    const [alice, bob] = await openTwo(t, real.url);
    const { bond } = await pair(alice, bob);
    await delivered(alice);
    await alice.close();
    const copy = join(scratch(), "copy");
    cpSync(alice.dataDir, copy, { recursive: true });
    const later = await openHost(t, { relay: real.url, dataDir: alice.dataDir });
    for (const body of ["one", "two", "three"]) await later.send(bond.id, body, { thread: "t" });
    await received(bob, 3);
    await delivered(later);
    await later.close();
    const old = await openHost(t, { relay: real.url, dataDir: copy });
    for (const body of ["four", "five"]) await old.send(bond.id, body, { thread: "t" });
    assert.deepEqual((await received(bob, 5)).sort(), ["five", "four", "one", "three", "two"]);
    await delivered(old);
    const states = (await eventsOf(old, "delivery")).map(({ state }) => state);
    assert.equal(states.filter((state) => state === "delivered").length, 2, states.join());
  });

  test("W27_a_relay_that_counts_its_rows_anew_hides_nothing", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const { dataDir } = alice;
    let epoch: string | undefined = "one";
    let rows: string[] = [];
    const asked: string[] = [];
    // Reads as a relay of the draft does: rows above a number, that begin at one again once all were swept.
    relay.instead = ({ method, path, body }): Told | undefined => {
      if (!path.startsWith(`/inbox/${bond.own}`)) return undefined;
      if (method === "POST") {
        rows.push(body.toString());
        return { status: 204 };
      }
      if (path.includes("/live")) return { status: 404, body: '{"error":"not_found"}' };
      if (method === "DELETE") return { status: 405, body: '{"error":"method_not_allowed"}' };
      const params = new URLSearchParams(path.split("?")[1]);
      if (!params.has("sig")) return undefined;
      const since = Number(params.get("since"));
      asked.push(`${epoch}/${since}`);
      const envelopes = rows.slice(since).map((wire) => JSON.parse(wire));
      const rowids = envelopes.map((_, n) => since + n + 1);
      return { status: 200, body: JSON.stringify({ envelopes, rowids, cursor: since + rowids.length, epoch }) };
    };
    relay.hangUp();
    for (const body of ["one", "two"]) await bob.send(back.id, body);
    await received(alice, 2);
    // All that is there was read, messages and acknowledgements.
    const isPull = ({ path }: Asked) => rows.length >= 2 && path.includes(`?since=${rows.length}&challenge`);
    await relay.until(isPull);
    [epoch, rows] = ["two", []];
    await bob.send(back.id, "three");
    assert.deepEqual(await received(alice, 3), ["one", "two", "three"]);
    assert.ok(asked.some((since) => /^two\/[1-9]/.test(since)) && asked.includes("two/0"), asked.join());
    // One that says nothing of its memory is read from the start by every process, and every few minutes.
    [epoch, rows] = [undefined, []];
    await bob.send(back.id, "four");
    await alice.close();
    const again = await openHost(t, { relay: relay.url, dataDir });
    assert.deepEqual(await received(again, 4), ["one", "two", "three", "four"]);
  });

  test("W28_mail_waits_for_days_for_a_sleeper, and is told where it was not worth waiting", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const [aliceDir, bobDir] = [alice.dataDir, bob.dataDir];
    await bob.close();
    relay.isHolding = true;
    await alice.send(bond.id, "read it when you wake", { thread: "sleep" });
    const [waiting] = (await alice.outbox()).filter(({ thread }) => thread === "sleep");
    assert.equal((waiting?.expiresAt ?? 0) - (waiting?.createdAt ?? 0), 7 * DAY_MS);
    const { mid } = await alice.send(bond.id, "only now", { thread: "now", ttl: 2 });
    const { wire } = await relay.posted(({ thread }) => thread === "sleep");
    const ttl = Number(bodyOf(wire).ttl) * 1_000 - Date.now();
    assert.ok(ttl > 6.9 * DAY_MS && ttl <= 7 * DAY_MS + 1_000, `${ttl}`);
    await alice.close();
    // Another process of Alice's hears that it came to nothing.
    const again = await openHost(t, { relay: relay.url, dataDir: aliceDir });
    await heard(again, "delivery", (event) => event.mid === mid && event.state === "expired");
    assert.ok((await again.outbox()).some(({ thread, state }) => thread === "sleep" && state === "relayed"));
    for (const { to, wire } of relay.mail) relay.deliver(to, wire);
    relay.isHolding = false;
    const awake = await openHost(t, { relay: relay.url, dataDir: bobDir });
    await heard(awake, "message", ({ body }) => body === "read it when you wake");
    assert.deepEqual(await said(awake), ["read it when you wake"]);
    await delivered(again);
    await awake.send(back.id, "good morning");
    assert.deepEqual(await received(again, 1), ["good morning"]);
  });

  test("W29_what_was_decided_reaches_the_peer, although the relay was away and the process ended", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const here: Party & { host: Host } = { host: alice, bond: bond.id };
    const there: Party & { host: Host } = { host: bob, bond: back.id };
    /** Does something while no mail gets through; then the process ends, another one starts, and the relay is back. */
    const meanwhile = async <T>(party: { host: Host }, act: () => Promise<T>): Promise<T> => {
      relay.instead = ({ method, path }) =>
        method === "POST" && path.startsWith("/inbox/") ? { status: 503, body: '{"error":"unavailable"}' } : undefined;
      const result = await act();
      const { dataDir } = party.host;
      await party.host.close();
      party.host = await openHost(t, { relay: relay.url, dataDir });
      relay.instead = undefined;
      return result;
    };
    const thread = await meanwhile(here, () => here.host.openSession(here.bond, terms()));
    await question(there, "open", thread);
    await meanwhile(there, () => decide(there, "open", thread));
    await stands(here, thread, ({ status }) => status === "live");
    const proposed = await meanwhile(here, () =>
      here.host.turn(bond.id, thread, "propose", "This.", text("120 EUR\n")),
    );
    const sha256 = proposed.sha256 ?? "";
    await stands(there, thread, ({ turns }) => turns === 1);
    const pending = await meanwhile(here, () => here.host.extend(bond.id, thread, 9));
    await meanwhile(here, async () => here.host.decide(pending, (await codesOf(here.host, pending)).approve));
    await question(there, "extend", thread);
    await meanwhile(there, () => decide(there, "extend", thread));
    await stands(here, thread, ({ maxTurns }) => maxTurns === 9);
    await meanwhile(there, () => there.host.sign(back.id, thread, sha256));
    await stands(here, thread, ({ signedByPeer }) => signedByPeer === sha256);
    await meanwhile(here, () => here.host.sign(bond.id, thread, sha256));
    await question(there, "ratify", thread);
    await meanwhile(here, () => decide(here, "ratify", thread));
    await stands(there, thread, ({ ratifiedByPeer }) => ratifiedByPeer);
    await meanwhile(there, () => decide(there, "ratify", thread));
    for (const party of [here, there]) await stands(party, thread, ({ status }) => status === "agreed");
    const receipt = (await here.host.receipt(bond.id, thread)) ?? "";
    assert.equal(await there.host.receipt(back.id, thread), receipt);
    assert.equal(verifyReceipt(Buffer.from(receipt)).sha256, sha256);
    for (const party of [here, there]) {
      assert.deepEqual(await party.host.pendings(), []);
      assert.equal((await sessionOf(party, thread)).turns, 1);
      assert.deepEqual(await eventsOf(party.host, "refused"), []);
    }
    for (const { own } of [bond, back]) assert.ok(positions(relay, own, thread).length > 2);
  });

  test("W30_an_opening_is_not_lost_with_the_file_that_could_not_be_written", async (t) => {
    const alice = await openHost(t, { relay: real.url });
    const problems: string[] = [];
    const bob = await openHost(t, { relay: real.url, onProblem: ({ message }) => problems.push(message) });
    const { bond, back } = await pair(alice, bob);
    const [here, there]: [Party, Party] = [
      { host: alice, bond: bond.id },
      { host: bob, bond: back.id },
    ];
    // No approval can be shown: where the files should be is something else.
    const approvals = join(bob.dataDir, "approvals");
    rmSync(approvals, { recursive: true });
    writeFileSync(approvals, "");
    const thread = await alice.openSession(bond.id, terms());
    const item = await question(there, "open", thread);
    assert.equal((await sessionOf(there, thread)).status, "pending");
    await delivered(alice);
    assert.ok(problems.length > 0, "the owner is told");
    rmSync(approvals);
    mkdirSync(approvals, { mode: 0o700 });
    await bob.reissue(item.id);
    await decide(there, "open", thread);
    await stands(here, thread, ({ status }) => status === "live");
  });

  test("W31_after_a_lost_answer_the_same_bytes_come_again, and never others in their place", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const lost = new Map<string, number>();
    relay.instead = ({ method, path, body }) => {
      if (method !== "POST" || path !== `/inbox/${back.own}`) return undefined;
      const wire = body.toString();
      const { id, thread } = bodyOf(wire);
      const times = lost.get(id) ?? 0;
      if (thread !== "one" || times >= 2) return undefined;
      // It has it and delivers it, but says that it has not.
      lost.set(id, times + 1);
      relay.mail.push({ to: back.own, wire });
      relay.deliver(back.own, wire);
      return { status: 500, body: '{"error":"internal"}' };
    };
    const bodies = ["first", "second", "third", "fourth"];
    for (const body of bodies) await alice.send(bond.id, body, { thread: "one" });
    assert.deepEqual(await received(bob, bodies.length), bodies);
    await delivered(alice);
    assert.deepEqual(await said(bob), bodies);
    assert.deepEqual(positions(relay, bond.own, "one"), [1, 2, 3, 4]);
    assert.ok([...lost.values()].every((times) => times > 0) && lost.size === 4);
    const states = (await eventsOf(alice, "delivery"))
      .filter(({ thread }) => thread === "one")
      .map(({ state }) => state);
    assert.equal(states.filter((state) => state === "delivered").length, 4);
    assert.ok(!states.includes("refused"));
    assert.deepEqual(await eventsOf(bob, "refused"), []);
  });

  test("W32_what_waits_for_an_artifact_keeps_its_place, and one that is bad holds nothing up", async (t) => {
    const { relay, alice, bob, back } = await victims(t);
    const kept = new Map<string, Buffer>();
    let told: (bytes: Buffer) => Told = () => ({ status: 503, body: '{"error":"unavailable"}' });
    relay.instead = ({ method, path, body }) => {
      if (!path.startsWith("/artifact/")) return undefined;
      if (method === "GET") return told(kept.get(path) ?? Buffer.alloc(0));
      kept.set(path, body);
      return { status: 204 };
    };
    const large = (word: string) => `${word} ${"x".repeat(70_000)}`;
    const wordsOf = async (host: Host, thread: string) => (await said(host, thread)).map((body) => body.split(" ")[0]);
    await bob.send(back.id, large("one"), { thread: "t" });
    await bob.send(back.id, "two", { thread: "t" });
    await bob.send(back.id, large("three"), { thread: "t" });
    await bob.send(back.id, "four", { thread: "t" });
    await bob.send(back.id, "elsewhere", { thread: "other" });
    await heard(alice, "message", ({ body }) => body === "elsewhere");
    assert.deepEqual(await wordsOf(alice, "t"), []);
    const { dataDir } = alice;
    await alice.close();
    told = (bytes) => ({ status: 200, body: bytes });
    const again = await openHost(t, { relay: relay.url, dataDir });
    await heard(again, "message", ({ body }) => body === "four");
    assert.deepEqual(await wordsOf(again, "t"), ["one", "two", "three", "four"]);

    const bad: [string, (bytes: Buffer) => Told][] = [
      ["artifact_decrypt_failed", (bytes) => ({ status: 200, body: Buffer.alloc(bytes.length, 7) })],
      ["artifact_decrypt_failed", (bytes) => ({ status: 200, body: bytes.subarray(1) })],
      ["artifact_not_found", () => ({ status: 404, body: '{"error":"artifact_not_found"}' })],
    ];
    for (const [code, lie] of bad) {
      told = lie;
      const { id, mid } = await bob.send(back.id, large("bad"), { thread: "t" });
      await bob.send(back.id, `after ${id}`, { thread: "t" });
      await heard(again, "message", ({ body }) => body === `after ${id}`);
      assert.equal((await heard(again, "refused", (event) => event.id === id)).code, code);
      const refused = await heard(bob, "delivery", (event) => event.mid === mid && event.state === "refused");
      assert.equal(refused.code, code);
    }
    assert.ok(!(await wordsOf(again, "t")).includes("bad"));
  });

  test("W33_many_sends_at_once_take_no_position_twice, in one process and in two", async (t) => {
    const { relay, alice, bob, bond } = await victims(t);
    const second = await openHost(t, { relay: relay.url, dataDir: alice.dataDir });
    const bodies = Array.from({ length: 40 }, (_, n) => `number ${n}`);
    const sent = await Promise.all(
      bodies.map((body, n) => (n % 2 ? alice : second).send(bond.id, body, { thread: "one" })),
    );
    const expected = bodies.map((_, n) => n + 1);
    assert.deepEqual(
      sent.map(({ seq }) => seq).sort((a, b) => a - b),
      expected,
    );
    assert.deepEqual((await received(bob, bodies.length)).sort(), bodies.sort());
    assert.deepEqual(positions(relay, bond.own, "one"), expected);
    assert.ok((await eventsOf(bob, "message")).every(({ gap }) => !gap));
  });

  test("W09_mail_that_is_shuffled_and_doubled_arrives_once, every piece of it", async (t) => {
    const { relay, alice, bob, bond } = await victims(t);
    await delivered(alice);
    await delivered(bob);
    relay.isHolding = true;
    const bodies = Array.from({ length: 12 }, (_, n) => `number ${n}`);
    for (const [n, body] of bodies.entries()) await alice.send(bond.id, body, { thread: `thread-${n % 3}` });
    await relay.posted(({ thread, seq }) => thread === "thread-2" && seq === 4);
    relay.isHolding = false;
    const held = relay.mail.filter(({ wire }) => bodyOf(wire).thread.startsWith("thread"));
    for (const { to, wire } of [...held].reverse()) for (let n = 0; n < 3; n++) relay.deliver(to, wire);
    assert.deepEqual((await received(bob, bodies.length)).sort(), bodies.sort());
    await delivered(alice);
    assert.equal((await said(bob)).length, bodies.length);
    assert.deepEqual(await eventsOf(bob, "refused"), []);
  });
});
