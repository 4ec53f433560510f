// A relay that replays, wraps anew, withholds, lies about rows, and reads what it can.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, describe, type TestContext, test } from "node:test";
import type { BaseHost, Host } from "agentpair";
import { keysUnder, record } from "../mcp/e2e/support/database.ts";
import { holds, holdsWord, readings } from "../support/haystack.ts";
import { openHost, openTwo, pair, received } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { eventsOf, heard, said } from "./support/feeds.ts";
import { live, propose, signed, terms, text } from "./support/gate-sessions.ts";
import { type Asked, bodyOf, HostileRelay, type Mail } from "./support/hostile-relay.ts";
import { Forger } from "./support/relay-forger.ts";

/** One for all tests of this file. */
const real = await Relay.start({ after });

/** Two bonded hosts in the hands of a hostile relay. */
async function victims(t: TestContext) {
  const relay = await HostileRelay.start(t, real.url);
  const { alice, bob, bond, back } = await pair(...(await openTwo(t, relay.url)));
  return { relay, alice: alice as Host, bob: bob as Host, bond, back };
}

/** Waits until a host has taken all that was put into its inbox: a last word comes after it. */
async function settled(to: BaseHost, from: BaseHost, bond: string): Promise<void> {
  const body = `settled ${randomUUID()}`;
  await from.send(bond, body, { thread: "settled" });
  await heard(to, "message", (event) => event.body === body);
}

/** What no relay may change by itself. */
async function standing(host: BaseHost) {
  const bonds = (await host.bonds()).map(({ status, peerLabel, verification }) => [status, peerLabel, verification]);
  const sessions = (await host.sessions()).map(({ thread, status, turns, maxTurns, ratifiedByPeer, signedByPeer }) => {
    return [thread, status, turns, maxTurns, ratifiedByPeer, signedByPeer];
  });
  const told = ["refused", "session", "thread_closed", "bond_changed", "peer_restored"] as const;
  const events = await Promise.all(told.map(async (name) => (await eventsOf(host, name)).length));
  const messages = (await said(host)).filter((body) => !body.startsWith("settled "));
  return { bonds, sessions, events, messages, pendings: (await host.pendings()).map(({ id }) => id) };
}

/** Types that do something even with the plaintext of another one, if nothing else is looked at. */
const TYPES = [
  "core.msg",
  "core.close",
  "core.ack",
  "bond.hello",
  "bond.revoked",
  "nego.open",
  "nego.open_approved",
  "nego.open_expired",
  "nego.signed",
  "nego.ratified",
];

describe("a relay in whom nobody trusts", { concurrency: 3 }, () => {
  test("W03_a_ciphertext_seen_before_is_nothing_under_other_headers, whoever signed them", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const [one, other] = [
      { host: alice, bond: bond.id },
      { host: bob, bond: back.id },
    ];
    // Something of each sort to forge a word for: an opening, a live session, a signed one, a conversation.
    const waiting = await alice.openSession(bond.id, terms());
    const lively = await live(one, other);
    const { thread: frozen } = await signed(one, other);
    await alice.send(bond.id, "from Alice", { thread: "talk" });
    await bob.send(back.id, "from Bob", { thread: "talk" });
    await received(bob, 1);
    await settled(alice, bob, back.id);
    const before = await standing(alice);

    // The relay has got Bob's signature over whatever it likes; it has no key, but all that it ever saw, both ways.
    const forger = new Forger(bob, back);
    // One of each type and direction.
    const seen = new Map(
      relay.mail.map(({ wire }) => [`${bodyOf(wire).from} ${bodyOf(wire).type}`, bodyOf(wire).payload]),
    );
    let seq = 1_000_000;
    let wrapped = 0;
    for (const payload of seen.values()) {
      for (const type of TYPES) {
        for (const thread of [waiting, lively, frozen, "talk", "bond", randomUUID()]) {
          relay.deliver(bond.own, forger.wrap({ type, thread, seq: ++seq }, String(payload)));
          wrapped += 1;
        }
      }
    }
    await settled(alice, bob, back.id);
    assert.deepEqual(await standing(alice), before);
    // They got as far as they could: the signature is good, and the nonce is known.
    let count = 0;
    for (const key of keysUnder(alice.dataDir, `rejected/${bond.id}/replayed_nonce/`)) {
      count += JSON.parse(record(alice.dataDir, key) ?? "").count;
    }
    assert.ok(wrapped > 0 && count >= wrapped, `${count} of ${wrapped}`);
  });

  test("W03_a_plaintext_is_bound_to_its_envelope, also where its ciphertext is new", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const forger = new Forger(bob, back);
    const own = { type: "core.msg", thread: "bound", seq: 0, id: "" };
    const backwards = new Forger(alice, bond);
    const binds: { [how: string]: (claims: typeof own) => string | undefined } = {
      "of another type": (claims) => forger.bind({ ...claims, type: "core.close" }),
      "of another thread": (claims) => forger.bind({ ...claims, thread: "other" }),
      "of another position": (claims) => forger.bind({ ...claims, seq: claims.seq - 1 }),
      "of another envelope": (claims) => forger.bind({ ...claims, id: randomUUID() }),
      "of the other direction": (claims) => backwards.bind(claims),
      missing: () => undefined,
      empty: () => "",
      "cut short": (claims) => forger.bind(claims).slice(0, 21),
    };
    const deliver = (claims: typeof own, bind: string | undefined, body: string) => {
      const extras = { mid: randomUUID(), expires_at: Date.now() + 3_600_000, bind };
      relay.deliver(bond.own, forger.seal(claims, JSON.stringify({ body, ...extras })));
    };
    let seq = 10;
    for (const [how, bind] of Object.entries(binds)) {
      const claims = { ...own, id: randomUUID(), seq: ++seq };
      deliver(claims, bind(claims), how);
      const { code } = await heard(alice, "refused", (event) => event.id === claims.id);
      assert.equal(code, "invalid_payload", how);
    }
    const claims = { ...own, id: randomUUID(), seq: ++seq };
    deliver(claims, forger.bind(claims), "as it should be");
    await heard(alice, "message", (event) => event.id === claims.id);
    assert.deepEqual(await said(alice), ["as it should be"]);
  });

  test("W03_mail_in_another_inbox_or_sent_back_is_nothing, and is heard where it belongs", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const carol = await openHost(t, { relay: relay.url });
    const { bond: second, back: ofCarol } = await pair(alice, carol);
    await alice.send(bond.id, "from Alice to Bob", { thread: "t" });
    await received(bob, 1);
    relay.isHolding = true;
    await bob.send(back.id, "from Bob", { thread: "t" });
    const { wire } = await relay.posted(({ from, thread }) => from === bond.peer && thread === "t");
    relay.isHolding = false;
    const before = await standing(alice);
    // To the inbox of another bond, with other addresses on the outside; and Alice's own words, back to her.
    relay.deliver(second.own, wire);
    const outer = JSON.parse(wire);
    relay.deliver(second.own, JSON.stringify({ ...outer, from: second.peer, to: second.own }));
    relay.deliver(bond.own, JSON.stringify({ ...outer, from: second.peer }));
    for (const mail of relay.mail.filter(({ to }) => to === bond.peer)) {
      const own = JSON.parse(mail.wire);
      relay.deliver(bond.own, mail.wire);
      relay.deliver(bond.own, JSON.stringify({ ...own, from: bond.peer, to: bond.own }));
    }
    await settled(alice, carol, ofCarol.id);
    await settled(alice, bob, back.id);
    assert.deepEqual(await standing(alice), before);
    relay.deliver(bond.own, wire);
    await heard(alice, "message", ({ body }) => body === "from Bob");
    assert.deepEqual(await eventsOf(alice, "refused"), []);
  });

  test("W08_an_old_allowlist_does_not_come_back, and who was revoked is not heard through a relay that lies", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const carol = await openHost(t, { relay: relay.url });
    const { back: ofCarol } = await pair(alice, carol);
    const forger = new Forger(bob, back);
    await bob.close();
    const isPut = ({ method, path }: Asked) => method === "PUT" && path === `/allowlist/${bond.own}`;
    const listed = ({ body }: Asked) =>
      JSON.parse(Buffer.from(JSON.parse(`${body}`).blob, "base64url").toString()).allowed;
    const [old = assert.fail()] = relay.asked.filter(isPut);
    assert.deepEqual(listed(old), [bond.peer]);
    // Alice cannot even tell that this relay lets Bob write on.
    await alice.revoke(bond.id, "enough");
    const [empty = assert.fail()] = await relay.until((asked) => isPut(asked) && listed(asked).length === 0);

    // To a relay that keeps versions the old list is one of the past.
    const push = async ({ body }: Asked) =>
      (await fetch(`${real.url}/allowlist/${bond.own}`, { method: "PUT", body: `${body}` })).status;
    assert.deepEqual([await push(old), await push(empty), await push(empty), await push(old)], [204, 204, 204, 409]);
    const claims = { type: "core.msg", thread: "t", seq: 1_000, id: randomUUID() };
    const extras = { mid: randomUUID(), expires_at: Date.now() + 3_600_000, bind: forger.bind(claims) };
    const wire = forger.seal(claims, JSON.stringify({ body: "let me in", ...extras }));
    const posted = await fetch(`${real.url}/inbox/${bond.own}`, { method: "POST", body: wire });
    assert.deepEqual([posted.status, await posted.json()], [403, { error: "recipient_not_allowed" }]);

    // This one delivers whatever Bob writes, and what he wrote before.
    const before = (await alice.me()).feed;
    for (const mail of [...relay.mail]) if (mail.to === bond.own) relay.deliver(bond.own, mail.wire);
    relay.deliver(bond.own, wire);
    await settled(alice, carol, ofCarol.id);
    relay.endStreams();
    await settled(alice, carol, ofCarol.id);
    const after = (await alice.feed({ since: before })).filter(
      ({ event }) => "bond" in event && event.bond === bond.id,
    );
    assert.deepEqual(after, []);
    assert.equal((await alice.bond(bond.id)).status, "revoked");
  });

  test("W09_a_withheld_message_is_noticed, never said to be delivered, and comes in time if it comes late", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const withheld: Mail[] = [];
    relay.instead = ({ method, path, body }) => {
      if (method !== "POST" || path !== `/inbox/${bond.own}`) return undefined;
      const { thread, type, seq } = bodyOf(body.toString());
      if (type !== "core.msg" || !((thread === "middle" && seq === 2) || (thread === "first" && seq === 1)))
        return undefined;
      withheld.push({ to: bond.own, wire: body.toString() });
      return { status: 204 };
    };
    const mids = new Map<string, string>();
    for (const [thread, count] of [
      ["middle", 4],
      ["first", 2],
      ["whole", 2],
    ] as const) {
      for (let n = 1; n <= count; n++) {
        mids.set(`${thread} ${n}`, (await bob.send(back.id, `${thread} ${n}`, { thread })).mid);
      }
    }
    await heard(alice, "message", ({ body }) => body === "whole 2");
    const gaps = (await eventsOf(alice, "message")).map(({ body, gap }) => [body, gap]);
    assert.deepEqual(Object.fromEntries(gaps), {
      "middle 1": false,
      "middle 3": true,
      "middle 4": false,
      "first 2": true,
      "whole 1": false,
      "whole 2": false,
    });
    const isDelivered = async (name: string) => {
      const told = await eventsOf(bob, "delivery");
      return told.some(({ mid, state }) => mid === mids.get(name) && state === "delivered");
    };
    await bob.until(async () => (await isDelivered("whole 2")) || undefined, "an acknowledgement", {
      timeoutMs: 60_000,
    });
    for (const name of ["middle 2", "first 1"]) {
      assert.equal(await isDelivered(name), false, name);
      assert.ok(
        (await bob.outbox()).some(({ mid, state }) => mid === mids.get(name) && state === "relayed"),
        name,
      );
    }
    // Out of order it is not taken; but its sender learns of it, and writes it anew.
    for (const { to, wire } of withheld) relay.deliver(to, wire);
    for (const name of ["middle 2", "first 1"]) {
      await heard(alice, "message", ({ body }) => body === name);
      await bob.until(async () => (await isDelivered(name)) || undefined, "the acknowledgement", { timeoutMs: 60_000 });
    }
    assert.equal((await said(alice)).length, 8);
    assert.deepEqual(await eventsOf(alice, "refused"), []);
  });

  test("W10_row_numbers_of_a_relay_silence_nothing, on a stream", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const rows = [Number.MAX_SAFE_INTEGER, 1, 1, 5, 2, 0, 4_000_000_000_000, 3];
    relay.instead = ({ method, path, body }) => {
      if (method !== "POST" || path !== `/inbox/${bond.own}` || rows.length === 0) return undefined;
      relay.deliver(bond.own, body.toString(), rows.shift());
      return { status: 204 };
    };
    const count = rows.length;
    for (let n = 1; n <= count; n++) await bob.send(back.id, `row ${n}`, { thread: "rows" });
    const all = Array.from({ length: count }, (_, n) => `row ${n + 1}`);
    assert.deepEqual(await received(alice, count), all);
    // Frames that are none, numbers that are none.
    for (const rowid of ["-1", "1.5", '"7"', "null", "1e999", "18446744073709551616"]) {
      relay.deliver(bond.own, `${relay.mail.at(-1)?.wire},"rowid":${rowid}`);
    }
    relay.hangUp();
    await bob.send(back.id, "the last", { thread: "rows" });
    assert.deepEqual(await received(alice, count + 1), [...all, "the last"]);
  });

  test("W10_a_huge_cursor_does_not_outlive_the_process_that_was_told_it, where a relay is polled", async (t) => {
    const { relay, alice, bob, bond, back } = await victims(t);
    const { dataDir } = alice;
    const waiting: { rowid: number; wire: string }[] = [];
    const asked: number[] = [];
    relay.instead = ({ method, path, body }) => {
      const [, query] = path.split("?");
      if (!path.startsWith(`/inbox/${bond.own}`)) return undefined;
      if (method === "POST") {
        // Rows as they should be: but the first one is told as another.
        waiting.push({ rowid: waiting.length + 1, wire: body.toString() });
        return { status: 204 };
      }
      if (path.includes("/live")) return { status: 404, body: '{"error":"not_found"}' };
      const params = new URLSearchParams(query);
      if (method !== "GET" || !params.has("sig")) return undefined;
      const since = Number(params.get("since"));
      asked.push(since);
      const rows = waiting.filter(({ rowid }) => rowid > since);
      const isFirst = rows.length > 0 && !asked.some((since) => since > 1e9);
      const rowids = rows.map(({ rowid }) => (isFirst ? 9e15 : rowid));
      const envelopes = rows.map(({ wire }) => JSON.parse(wire));
      return { status: 200, body: JSON.stringify({ envelopes, rowids, cursor: rowids.at(-1) ?? since, epoch: "one" }) };
    };
    relay.hangUp();
    await bob.send(back.id, "one");
    assert.deepEqual(await received(alice, 1), ["one"]);
    await bob.send(back.id, "two");
    const isMisled = async () => asked.some((since) => since === 9e15) || undefined;
    await bob.until(isMisled, "the cursor", { timeoutMs: 60_000 });
    await alice.close();
    const from = asked.length;
    const again = await openHost(t, { dataDir, relay: relay.url });
    assert.deepEqual(await received(again, 2), ["one", "two"]);
    assert.equal(asked[from], 0);
  });

  test("W11_a_relay_reads_what_the_threat_model_lists, and no more", async (t) => {
    const relay = await HostileRelay.start(t, real.url);
    const alice = await openHost(t, { relay: relay.url, label: "Xanthippe" });
    const bob = await openHost(t, { relay: relay.url, label: "Yolanda" });
    const carol = await openHost(t, { relay: relay.url, label: "Zebedee" });
    const { code, pairing } = await alice.invite({ petname: "petname-of-bob", timeoutMs: 30_000 });
    assert.ok(code && pairing);
    await alice.cancel(pairing);
    const { bond, back } = await pair(alice, bob);
    const { bond: second } = await pair(alice, carol);
    const artifacts = new Map<string, Buffer>();
    relay.instead = ({ method, path, body }) => {
      if (!path.startsWith("/artifact/")) return undefined;
      if (method === "GET") return { status: 200, body: artifacts.get(path) ?? "" };
      artifacts.set(path, body);
      return { status: 204 };
    };
    await alice.rename(bond.id, "quixotic");
    await alice.send(bond.id, "wonderfully-secret", { thread: "t", kind: "kindness" });
    const [one, other] = [
      { host: alice, bond: bond.id },
      { host: bob, bond: back.id },
    ];
    const thread = await live(one, other, { goal: "goal-of-goals" });
    await propose(one, other, thread, text("deliverable-text", "file-name.txt"));
    await alice.send(bond.id, `${"x".repeat(100_000)} spilled-secret`, { thread: "t" });
    await received(bob, 2);
    await bob.markRead((await bob.me()).feed);

    const all = readings(
      relay.asked.map(({ method, path, headers, body }) => {
        return Buffer.concat([Buffer.from(`${method} ${path}\n${JSON.stringify(headers)}\n`), body]);
      }),
    );
    assert.ok(holds(all, Buffer.from(bond.own)), "the recording is one");
    const secrets = ["Xanthippe", "Yolanda", "Zebedee", "quixotic", "wonderfully-secret", "kindness", "spilled-secret"];
    secrets.push("goal-of-goals", "deliverable-text", "file-name.txt", "This.", "petname-of-bob");
    for (const secret of secrets) assert.ok(!holdsWord(all, secret), secret);
    for (const host of [alice, bob, carol]) assert.ok(!holds(all, Buffer.from((await host.me()).agentId)), "a root id");
    // No list of contacts, and no id that would link the two bonds of one owner.
    assert.ok(!relay.asked.some(({ path }) => path.includes("senders")));
    assert.equal(new Set([bond.own, bond.peer, second.own, second.peer]).size, 4);
    for (const { wire } of relay.mail) {
      const names = ["v", "id", "from", "to", "type", "thread", "seq", "ttl", "payload", "ts", "prev"];
      assert.deepEqual(Object.keys(bodyOf(wire)), names);
      assert.deepEqual(Object.keys(JSON.parse(wire)), ["v", "from", "to", "blob", "sig"]);
    }
  });
});
