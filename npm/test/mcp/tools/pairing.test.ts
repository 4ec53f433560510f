import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openTwo } from "../../support/hosts.ts";
import { Relay } from "../../support/relay.ts";
import { Desk } from "./support/server.ts";
import { decide, two } from "./support/two.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

for (const era of ["2025", "2026"] as const) {
  test(`two agents pair, and compare the safety number: ${era}`, async (t) => {
    const [alice, bob] = await openTwo(t, relay.url);
    const [desk, other] = [await Desk.open(t, alice, { era }), await Desk.open(t, bob, { era })];
    const none = await desk.good("list_bonds");
    assert.deepEqual([none.me.label, none.bonds, none.waiting], ["Alice", [], []]);

    const invite = await desk.good("pair_init", { petname: "bob" });
    assert.equal(invite.completion, "automatic");
    assert.ok(Date.parse(invite.expires_at) > Date.now());
    assert.equal((await desk.good("pair_init_complete", { timeout_ms: 0 })).status, "waiting");

    const joined = await other.good("pair_join", { code: invite.code, petname: "alice" });
    assert.deepEqual([joined.step, joined.waiting.length], ["deciding", 1]);
    assert.deepEqual(joined.proposal, {
      untrusted: true,
      source: "peer",
      peer: "alice",
      data: "for: message, negotiate",
    });
    const [asked] = joined.waiting;
    assert.deepEqual([asked.pending_id, asked.kind, asked.question], [joined.pending_id, "join", "Bond with alice?"]);
    assert.match(joined.suggested_next, /agentpair approve/);
    const decision = await decide(other, bob, "join");
    assert.deepEqual([decision.kind, decision.decision, decision.waiting], ["join", "approve", []]);

    // By its code, though that is shown no more; by its id; and the newest one.
    const done = await desk.good("pair_init_complete", { code: invite.code, timeout_ms: 45_000 });
    assert.deepEqual([done.pairing, done.status, done.bond.peer], [invite.pairing, "bonded", "bob"]);
    assert.equal((await other.good("pair_init_complete", { pairing: joined.pairing })).bond.peer, "alice");
    assert.equal((await other.good("pair_init_complete")).pairing, joined.pairing);

    const { number } = await desk.good("safety_number", { peer: "bob" });
    const compared = await other.good("safety_number", { peer: "alice", ask_human: true });
    assert.deepEqual(compared.number, number);
    assert.equal(compared.waiting[0].pending_id, compared.pending_id);
    await decide(other, bob, "verify");
    const { bonds } = await other.good("list_bonds");
    assert.deepEqual([bonds[0].verified, bonds[0].label.data, bonds[0].status], [true, "Alice", "active"]);
  });
}

test("pairings that come to nothing say why", async (t) => {
  const [alice, bob] = await openTwo(t, relay.url);
  const [desk, other] = [await Desk.open(t, alice), await Desk.open(t, bob)];
  assert.equal((await other.bad("pair_join", { code: "1-apple" })).code, "code_malformed");
  assert.equal((await other.bad("pair_init_complete")).code, "pair_not_found");
  assert.equal((await other.bad("pair_init_complete", { pairing: "x" })).code, "pair_not_found");
  const { code, pairing } = await desk.good("pair_init");
  const [name = "", ...words] = code.split("-");
  const wrong = [name, ...words.reverse()].join("-");
  if (wrong !== code) {
    const error = await other.bad("pair_join", { code: wrong });
    assert.ok(["pake_failed", "invite_not_found"].includes(error.code), error.code);
    assert.match(error.message, /invite|code/);
  }
  const again = await desk.good("pair_init", { form: "link" });
  const joined = await other.good("pair_join", { code: again.code });
  await decide(other, bob, "join", "reject");
  const ended = await other.good("pair_init_complete", { pairing: joined.pairing });
  assert.deepEqual([ended.status, ended.outcome], ["failed", "approval_declined"]);
  const told = await desk.good("pair_init_complete", { pairing: again.pairing });
  assert.deepEqual([told.status, told.outcome], ["failed", "rejected"]);
  assert.notEqual(pairing, again.pairing);
});

test("a petname means the bond that is not over, and a bond can be ended", async (t) => {
  const { alice, bob, desk, bond } = await two(t, relay.url);
  assert.equal((await desk.bad("send", { to: "carol", body: "Hello" })).code, "bond_not_found");
  assert.deepEqual((await desk.good("revoke", { peer: "bob", reason: "enough" })).status, "revoked");
  assert.equal((await desk.bad("send", { to: "bob", body: "Hello" })).code, "bond_not_active");
  const { pairing, code } = await alice.invite({ petname: "bob" });
  await bob.join(code, { petname: "alice" });
  await decide(await Desk.open(t, bob), bob, "join");
  const again = await alice.bonded(pairing, { timeoutMs: 60_000 });
  await desk.good("send", { to: "bob", body: "Hello again" });
  const { bonds } = await desk.good("list_bonds");
  assert.deepEqual(
    bonds.map((shown: { bond: string; status: string }) => [shown.bond, shown.status]),
    [
      [again.id, "active"],
      [bond.id, "revoked"],
    ],
  );
});

test("what needs attention is said in words", async (t) => {
  const { alice, bob, desk } = await two(t, relay.url);
  const attention = async () => (await desk.good("list_bonds")).bonds[0].attention;
  assert.equal(await attention(), undefined);
  await bob.close();
  for (let n = 1; n <= 2; n++) await alice.send("bob", `message ${n}`);
  assert.match(await attention(), /2 messages are not delivered yet; the peer's agent has not looked yet/);
});
