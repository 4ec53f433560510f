import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { AgentPairError, Host } from "agentpair";
import { openTwo, pair, received } from "./support/hosts.ts";
import { approveNext, codesOf } from "./support/human.ts";
import { Relay } from "./support/relay.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

/** Waits until a pairing is over, and returns its outcome. */
async function outcome(host: Host, pairing: string): Promise<string> {
  const over = async () => (await host.pairing(pairing)).outcome;
  return host.until(over, "the end of the pairing", { timeoutMs: 60_000 });
}

test("two hosts pair by words, see one safety number, and talk", async (t) => {
  const { alice, bob, bond, back } = await pair(...(await openTwo(t, relay.url)));
  assert.deepEqual([bond.status, back.status], ["active", "active"]);
  assert.deepEqual([bond.petname, back.petname], ["bob", "alice"]);
  assert.deepEqual([bond.peerLabel, back.peerLabel], ["Bob", "Alice"]);
  assert.deepEqual([bond.own, bond.peer], [back.peer, back.own]);
  assert.equal(bond.keysDigest, back.keysDigest);
  const number = await alice.safetyNumber("bob");
  assert.deepEqual(await bob.safetyNumber("alice"), number);
  assert.match(number.join(" "), /^\d{6}( \d{6}){4}$/);

  const sent = await alice.send("bob", "Hello, Bob");
  assert.equal(sent.seq, 1);
  assert.deepEqual(await received(bob, 1), ["Hello, Bob"]);
  await bob.send("alice", "Hello, Alice", { thread: sent.thread });
  assert.deepEqual(await received(alice, 1), ["Hello, Alice"]);
  const delivered = async () => ((await alice.outbox()).length === 0 ? true : undefined);
  await alice.until(delivered, "the acknowledgement", { timeoutMs: 30_000 });
  const states = (await alice.feed()).flatMap(({ event }) =>
    event.event === "delivery" && event.mid === sent.mid ? [event.state] : [],
  );
  assert.deepEqual(states, ["relayed", "delivered"]);
});

test("two hosts pair by a link, which names the relay", async (t) => {
  const [alice, bob] = await openTwo(t, relay.url);
  const { code, pairing } = await alice.invite({ form: "link" });
  assert.match(code, /#r=.+&i=l[\w-]{22}\.[\w-]{22}$/);
  await bob.join(code, { relay: "http://127.0.0.1:9" });
  await approveNext(bob, "join");
  assert.equal((await alice.bonded(pairing, { timeoutMs: 60_000 })).status, "active");
});

test("a bond by digits is held until the human verified the safety number", async (t) => {
  const [alice, bob] = await openTwo(t, relay.url);
  const { code, pairing } = await alice.invite({ form: "digits" });
  assert.match(code, /^\d{3}-\d{3}$/);
  const joining = await bob.join(code);
  await approveNext(bob, "join");
  const bond = await alice.bonded(pairing, { timeoutMs: 60_000 });
  const back = await bob.bonded(joining, { timeoutMs: 60_000 });
  assert.deepEqual([bond.status, back.status], ["held", "held"]);
  await assert.rejects(alice.send(bond.id, "too early"), { code: "bond_held", blame: "policy" });

  for (const [host, id] of [
    [alice, bond.id],
    [bob, back.id],
  ] as const) {
    const pending = await host.verify(id);
    const { text, approve } = await codesOf(host, pending);
    assert.ok(text.includes((await host.safetyNumber(id)).join(" ")), text);
    assert.equal(await host.decide(pending, approve), "approve");
    const active = async () => ((await host.bond(id)).status === "active" ? true : undefined);
    await host.until(active, "the bond", { timeoutMs: 30_000 });
  }
  await alice.send(bond.id, "now");
  assert.deepEqual(await received(bob, 1), ["now"]);
});

test("a wrong code ends the invite, and both sides are told", async (t) => {
  const [alice, bob] = await openTwo(t, relay.url);
  const { code, pairing } = await alice.invite();
  const [number, ...words] = code.split("-");
  const wrong = [number, ...words.reverse()].join("-");
  assert.notEqual(wrong, code);
  const joining = await bob.join(wrong);
  assert.deepEqual([await outcome(alice, pairing), await outcome(bob, joining)], ["pake_failed", "pake_failed"]);
  for (const host of [alice, bob]) {
    assert.deepEqual(await host.bonds(), []);
    const ended = (await host.feed()).filter(({ event }) => event.event === "pairing_ended");
    assert.equal(ended.length, 1);
  }
  await assert.rejects(alice.bonded(pairing), (error: AgentPairError) => {
    assert.equal(error.code, "pake_failed");
    assert.match(error.message, /the code is burned/);
    return true;
  });
  // The right code comes too late: one guess is all there is.
  await assert.rejects(bob.join(code), { code: "code_spent" });
  const [carol] = await openTwo(t, relay.url);
  assert.equal(await outcome(carol, await carol.join(code)), "invite_claimed");
});

test("a wrong word is found out here, with the nearest one, and no guess is spent", async (t) => {
  const [alice, bob] = await openTwo(t, relay.url);
  const { code, pairing } = await alice.invite();
  const misheard = code.replace(/-[a-z]+$/, "-bananna");
  await assert.rejects(bob.join(misheard), (error: AgentPairError) => {
    assert.equal(error.code, "code_word_unknown");
    assert.equal(error.message, 'word 3 is not in the list; did you hear "banana"?');
    return true;
  });
  await assert.rejects(bob.join("12-apple"), { code: "code_malformed" });
  assert.deepEqual(await bob.pairings(), []);
  await bob.join(` ${code.toUpperCase().replaceAll("-", " ")} `);
  await approveNext(bob, "join");
  assert.equal((await alice.bonded(pairing, { timeoutMs: 60_000 })).status, "active");
});

test("the human of the joiner can refuse", async (t) => {
  const [alice, bob] = await openTwo(t, relay.url);
  const { code, pairing } = await alice.invite();
  const joining = await bob.join(code);
  const asked = async () => (await bob.pendings())[0];
  const item = await bob.until(asked, "the question", { timeoutMs: 30_000 });
  await assert.rejects(bob.decide(item.id, "000000x"), {
    code: "invalid_approval_code",
    message: /; 4 more may be tried today$/,
  });
  const { reject } = await codesOf(bob, item.id);
  assert.equal(await bob.decide(item.id, reject, { reason: "unknown" }), "reject");
  assert.equal(await outcome(bob, joining), "approval_declined");
  assert.equal(await outcome(alice, pairing), "rejected");
  assert.deepEqual([await alice.bonds(), await bob.bonds()], [[], []]);
});
