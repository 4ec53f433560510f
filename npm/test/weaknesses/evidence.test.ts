// What is left when all is said: evidence that the other side cannot deny, replace, or have made out of something else.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { after, test } from "node:test";
import { AgentId, type Host, Identity, verifyReceipt } from "agentpair";
import { record } from "../mcp/e2e/support/database.ts";
import { Pen } from "../mcp/e2e/support/pen.ts";
import { openHost, pair, received } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { ratifyBytes } from "../support/transcript.ts";
import { eventsOf, heard } from "./support/feeds.ts";
import { agreementOf, ratified, sha256, stakeOf } from "./support/gate-agreement.ts";
import { decide, live, type Party, question, sessionOf, signed, stands, terms, text } from "./support/gate-sessions.ts";
import { bodyOf, HostileRelay } from "./support/hostile-relay.ts";

/** One pair for all tests of this file, behind a relay that keeps what it sees. Whoever has the pen is not honest. */
const whole = { after };
const real = await Relay.start(whole);
const relay = await HostileRelay.start(whole, real.url);
const artifacts = new Map<string, Buffer>();
relay.instead = ({ method, path, body }) => {
  if (!path.startsWith("/artifact/")) return undefined;
  if (method === "PUT") artifacts.set(path, body);
  return method === "PUT" ? { status: 204 } : { status: 200, body: artifacts.get(path) ?? "" };
};
const dataDir = join(scratch(), "alice");
let alice = await open(dataDir);
const bob = await open(join(scratch(), "bob"));
const { bond, back } = await pair(alice, bob);
const secret = record(bob.dataDir, `secret/${back.id}`);
const pen = new Pen({ ...back, relay: relay.url }, secret);
const ONE = text("120 EUR\n");
const H1 = sha256(ONE.text);

function open(dataDir: string): Promise<Host> {
  return openHost(whole as never, { relay: relay.url, dataDir });
}

const parties = (): [Party, Party] => [
  { host: alice, bond: bond.id },
  { host: bob, bond: back.id },
];

/** Alice's human has ratified, and Bob's has not. */
async function offered(): Promise<{ thread: string; agreement: string }> {
  const [here, there] = parties();
  const { thread } = await signed(here, there, {}, ONE);
  await decide(here, "ratify", thread);
  await stands(there, thread, ({ ratifiedByPeer }) => ratifiedByPeer);
  return { thread, agreement: agreementOf(stakeOf(alice, bond, thread), ONE) };
}

/** Writes a ratification that has to be refused. Resolves with the code. */
async function refused(thread: string, payload: object): Promise<string> {
  const id = randomUUID();
  assert.equal(await pen.attempt("nego.ratified", thread, payload, id), 204);
  const { code } = await heard(alice, "refused", (event) => event.id === id);
  const { status, ratifiedByPeer, hasReceipt } = await sessionOf(parties()[0], thread);
  assert.deepEqual([status, ratifiedByPeer, hasReceipt], ["signed", undefined, false]);
  return code;
}

test("W23_both_hold_both_signatures, and anybody can check them without either", async () => {
  const { thread, agreement } = await offered();
  const good = { agreement, signer: back.own };
  const without = (name: string) => ratified(pen, thread, H1, good, { [name]: undefined });
  for (const name of ["ratify_sig", "agreement", "approved_at", "offer_expires_at", "channel"]) {
    assert.equal(await refused(thread, without(name)), "invalid_payload", name);
  }
  const other = Identity.fromSeed(new Uint8Array(32).fill(9));
  const approved_at = Date.now();
  const said = { ...good, approved_at, offer_expires_at: approved_at + 60_000, channel: "file" };
  const ratify_sig = Buffer.from(other.sign(ratifyBytes(said))).toString("base64url");
  const lies: { [how: string]: object } = {
    "the signature of another key": ratified(pen, thread, H1, said, { ratify_sig }),
    "a signature in the name of Alice": ratified(pen, thread, H1, { ...said, signer: back.peer }),
    "other times than those signed": ratified(pen, thread, H1, said, { approved_at: approved_at - 1 }),
    "another channel than the one signed": ratified(pen, thread, H1, said, { channel: "page" }),
    "an offer beyond the deadline": ratified(pen, thread, H1, { ...said, offer_expires_at: approved_at + 1e10 }),
    "an offer that ended before it began": ratified(pen, thread, H1, { ...said, offer_expires_at: approved_at - 1 }),
  };
  for (const [how, payload] of Object.entries(lies))
    assert.equal(await refused(thread, payload), "invalid_signature", how);

  const [here, there] = parties();
  await decide(there, "ratify", thread);
  for (const party of [here, there]) await stands(party, thread, ({ hasReceipt }) => hasReceipt);
  const receipt = (await alice.receipt(bond.id, thread)) ?? "";
  assert.equal(await bob.receipt(back.id, thread), receipt);
  const verified = verifyReceipt(Buffer.from(receipt));
  assert.deepEqual([verified.sha256, verified.agreement], [H1, agreement]);
  assert.deepEqual([verified.initiator, verified.recipient], [bond.own, bond.peer]);

  // Nothing in it can be exchanged.
  const parts = JSON.parse(receipt);
  const { initiator_ratified, recipient_ratified, deliverable } = parts;
  const forged: { [how: string]: object } = {
    "another text": { deliverable: { ...deliverable, text: "1 EUR\n" } },
    "another name": { deliverable: { ...deliverable, name: "other.txt" } },
    "another thread": { thread: randomUUID() },
    "exchanged roles": { initiator: parts.recipient, recipient: parts.initiator },
    "exchanged signatures": { initiator_ratified: recipient_ratified, recipient_ratified: initiator_ratified },
    "one signature for both": { recipient_ratified: initiator_ratified },
    "no signature": { recipient_ratified: { ...recipient_ratified, sig: "" } },
    "another time": { recipient_ratified: { ...recipient_ratified, approved_at: recipient_ratified.approved_at - 1 } },
    "other terms": { terms: Buffer.from(JSON.stringify(terms({ goal: "Other" }))).toString("base64url") },
    "another side": { recipient: other.agentId },
  };
  for (const [how, change] of Object.entries(forged)) {
    const text = JSON.stringify({ ...parts, ...change });
    assert.throws(() => verifyReceipt(Buffer.from(text)), { code: "invalid_receipt" }, how);
  }

  // Nor does it go away: the peer takes it back, ends the bond, and this host starts again.
  await pen.write("core.close", thread, { reason: "ratify_rejected" });
  await pen.write("bond.revoked", "bond", { reason: "I never agreed" });
  await alice.until(async () => (await alice.bond(bond.id)).status === "revoked_by_peer" || undefined, "the end", {
    timeoutMs: 60_000,
  });
  await alice.close();
  alice = await open(dataDir);
  assert.equal(await alice.receipt(bond.id, thread), receipt);
  assert.equal((await sessionOf(parties()[0], thread)).status, "agreed");
});

test("W24_a_signature_over_a_bare_hash_ratifies_nothing, and none is ever made", async (t) => {
  const [alice, bob] = [await openHost(t, { relay: relay.url }), await openHost(t, { relay: relay.url })];
  const { bond, back } = await pair(alice, bob);
  const [here, there] = [
    { host: alice, bond: bond.id },
    { host: bob, bond: back.id },
  ];
  // Bob's host uploads an artifact: the relay has his signature over the bare text of a hash.
  await bob.send(back.id, "x".repeat(70_000), { thread: "large" });
  await received(alice, 1);
  const [upload = assert.fail()] = relay.asked.filter(
    ({ method, path, headers }) =>
      path.startsWith("/artifact/") && method === "PUT" && headers["x-agent-id"] === back.own,
  );
  const hash = upload.path.slice("/artifact/".length);
  const bare = String(upload.headers["x-artifact-sig"]);
  assert.ok(AgentId.parse(back.own).verify(Buffer.from(hash), Buffer.from(bare, "base64url")));

  const { thread } = await signed(here, there, {}, ONE);
  const agreement = agreementOf(stakeOf(alice, bond, thread), ONE);
  const pen = new Pen({ ...back, relay: relay.url }, record(bob.dataDir, `secret/${back.id}`));
  const said = { agreement, signer: back.own };
  for (const ratify_sig of [bare, ...[hash, H1, agreement].map((text) => pen.sign(Buffer.from(text)))]) {
    const id = randomUUID();
    const payload = ratified(pen, thread, H1, said, { ratify_sig });
    assert.equal(await pen.attempt("nego.ratified", thread, payload, id), 204);
    const { code } = await heard(alice, "refused", (event) => event.id === id);
    assert.equal(code, "invalid_signature");
  }
  for (const party of [here, there]) await decide(party, "ratify", thread);
  for (const party of [here, there]) await stands(party, thread, ({ hasReceipt }) => hasReceipt);

  // Of all signatures that the relay saw and that the receipt holds, none is over the hash, and none is used twice.
  const receipt = JSON.parse((await alice.receipt(bond.id, thread)) ?? "");
  const ratifications = [receipt.initiator_ratified.sig, receipt.recipient_ratified.sig];
  const envelopes = relay.mail.map(({ wire }) => JSON.parse(wire).sig);
  const headers = relay.asked.flatMap(({ headers }) => headers["x-artifact-sig"] ?? []);
  for (const sig of [...ratifications, ...envelopes, ...headers]) {
    for (const id of [bond.own, back.own]) {
      for (const text of [H1, agreement, Buffer.from(H1, "hex"), Buffer.from(agreement, "hex")]) {
        assert.ok(!AgentId.parse(id).verify(Buffer.from(text), Buffer.from(sig, "base64url")));
      }
    }
  }
  for (const sig of ratifications) assert.ok(!envelopes.includes(sig) && !headers.includes(sig));
  assert.ok(relay.mail.some(({ wire }) => bodyOf(wire).type === "nego.ratified"));
});

test("W25_numbers_without_bounds_do_not_get_into_a_session, and none gets lost", async (t) => {
  const dataDir = join(scratch(), "alice");
  const options = { relay: relay.url, dataDir };
  const [alice, bob] = [await openHost(t, options), await openHost(t, { relay: relay.url })];
  const { bond, back } = await pair(alice, bob);
  const pen = new Pen({ ...back, relay: relay.url }, record(bob.dataDir, `secret/${back.id}`));
  const [here, there] = [
    { host: alice, bond: bond.id },
    { host: bob, bond: back.id },
  ];
  const lively = await live(there, here);
  const numbers = [
    "1e999",
    "-1e999",
    "0",
    "-1",
    "1.5",
    "1001",
    "1e3000",
    "9007199254740993",
    '"6"',
    "null",
    "[6]",
    "NaN",
  ];
  const refusals = new Map<string, string>();
  const write = async (type: string, thread: string, payload: string) => {
    const id = randomUUID();
    assert.equal(await pen.attempt(type, thread, payload, id), 204);
    refusals.set(id, payload);
  };
  for (const number of numbers) {
    const opening = JSON.stringify(terms({ budget: { max_turns: 77, deadline: terms().budget.deadline } }));
    await write("nego.open", randomUUID(), opening.replace('"max_turns":77', `"max_turns":${number}`));
    const proposal = { thread: lively, proposal_id: randomUUID(), new_max_turns: 77 };
    await write("nego.budget_propose", lively, JSON.stringify(proposal).replace(":77", `:${number}`));
  }
  for (const [id, payload] of refusals) {
    const { code } = await heard(alice, "refused", (event) => event.id === id);
    assert.equal(code, "invalid_payload", payload);
  }
  // The largest number that is one.
  const large = randomUUID();
  await pen.write("nego.open", large, terms({ budget: { max_turns: 1_000, deadline: terms().budget.deadline } }));
  await question(here, "open", large);
  const before = (await alice.sessions()).map(({ thread, status, maxTurns }) => [thread, status, maxTurns]).sort();
  assert.deepEqual(
    before,
    [
      [large, "pending", 1_000],
      [lively, "live", 6],
    ].sort(),
  );
  await alice.close();
  const again = await openHost(t, options);
  const after = (await again.sessions()).map(({ thread, status, maxTurns }) => [thread, status, maxTurns]).sort();
  assert.deepEqual(after, before);
  assert.equal((await eventsOf(again, "refused")).length, refusals.size);
});
