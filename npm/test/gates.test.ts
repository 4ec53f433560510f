// What protects and what stops: the PIN, the brake, looks, the signed head of the audit log, a restored store.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { type BaseHost, verifyAudit } from "agentpair";
import { openHost, openTwo, type Pair, pair, received } from "./support/hosts.ts";
import { codesOf } from "./support/human.ts";
import { Relay } from "./support/relay.ts";
import { scratch } from "./support/scratch.ts";

const PIN = "correct horse";
const relay = await Relay.start({ after });

async function paired(t: TestContext): Promise<Pair> {
  return pair(...(await openTwo(t, relay.url)));
}

/** Puts the question whether the safety numbers are equal. Resolves with the item and its code to approve. */
async function question(host: BaseHost, bond: string): Promise<{ pending: string; code: string }> {
  const pending = await host.verify(bond);
  const { approve } = await codesOf(host, pending);
  return { pending, code: approve };
}

const says = (code: string) => ({ code });

test("with a PIN, a code alone decides nothing, and wrong PINs are counted", async (t) => {
  const { alice, bob, bond, back } = await paired(t);
  await assert.rejects(alice.setPin("1234567"), says("invalid_argument"));
  await alice.setPin(PIN);
  const known = async () => (await bob.bond(back.id)).peerApprover;
  const { approver } = await alice.me();
  assert.equal(await bob.until(known, "the approver", { timeoutMs: 30_000 }), approver);
  const { pending, code } = await question(alice, bond.id);
  await assert.rejects(alice.decide(pending, code), says("pin_required"));
  await assert.rejects(alice.decide(pending, code, { pin: "incorrect horse" }), (error: Error) => {
    assert.equal((error as Error & { code: string }).code, "invalid_pin");
    assert.match(error.message, /4 more may be tried today/);
    return true;
  });
  await assert.rejects(alice.decide(pending, "999999999", { pin: PIN }), says("invalid_approval_code"));
  assert.equal((await alice.bond(bond.id)).verification, undefined);
  assert.equal(await alice.decide(pending, code, { pin: PIN, channel: "terminal" }), "approve");
  assert.equal((await alice.bond(bond.id)).verification?.how, "terminal");
  await assert.rejects(alice.setPin("another horse"), says("pin_required"));
  await assert.rejects(alice.removePin("incorrect horse"), says("invalid_pin"));
  await alice.setPin("another horse", PIN);
  await alice.removePin("another horse");
  assert.equal((await alice.me()).approver, undefined);
});

test("a code that stands for the other decision is wrong", async (t) => {
  const { alice, bond } = await paired(t);
  const { pending, code } = await question(alice, bond.id);
  await assert.rejects(alice.decide(pending, code, { decision: "reject" }), says("invalid_approval_code"));
  assert.equal(await alice.decide(pending, code, { decision: "approve" }), "approve");
});

test("a stopped agent writes again once the human lets it, and the peer learns when it was looked at", async (t) => {
  const { alice, bob, bond, back } = await paired(t);
  await alice.send(bond.id, "thanks");
  await received(bob, 1);
  assert.equal((await alice.bond(bond.id)).unattended, 1);
  await bob.markRead((await bob.me()).feed);
  const looked = async () => (await alice.bond(bond.id)).peerLookedAt;
  const at = await alice.until(looked, "a look", { timeoutMs: 30_000 });
  assert.ok(Math.abs(at - Date.now()) < 60_000);
  const pending = await alice.brake("bob", "it only says thanks");
  await assert.rejects(alice.send(bond.id, "thanks"), says("loop_brake"));
  await alice.decide(pending, (await codesOf(alice, pending)).approve);
  await alice.send(bond.id, "thanks");
  await received(bob, 2);
  assert.equal((await bob.bond(back.id)).petname, "alice");
});

test("the signed head shows an altered audit log", async (t) => {
  const { alice } = await paired(t);
  const [records, head] = [await alice.audit({ limit: 1_000 }), await alice.auditHead()];
  assert.equal(verifyAudit(records, head), head.hash);
  assert.equal(verifyAudit(records.slice(3), head), head.hash);
  const altered = records.map((record) => (record.n === 2 ? { ...record, act: "nothing" } : record));
  assert.throws(() => verifyAudit(altered, head), /record 2 is missing or was altered/);
  assert.throws(() => verifyAudit(records.slice(0, -1), head), /the head is that of record/);
  assert.throws(() => verifyAudit(records, { ...head, at: head.at + 1 }), says("invalid_audit"));
});

test("a restored store goes on, and tells the peer", async (t) => {
  const [alice, bob] = [
    await openHost(t, { relay: relay.url, dataDir: join(scratch(), "data") }),
    await openHost(t, { relay: relay.url }),
  ];
  const { bond } = await pair(alice, bob);
  const settled = async () => ((await alice.bond(bond.id)).undelivered === 0 ? true : undefined);
  await alice.until(settled, "quiet", { timeoutMs: 30_000 });
  await alice.close();
  const copy = join(scratch(), "copy");
  cpSync(alice.dataDir, copy, { recursive: true });
  const later = await openHost(t, { relay: relay.url, dataDir: alice.dataDir });
  for (const body of ["one", "two", "three"]) await later.send(bond.id, body, { thread: "t" });
  await received(bob, 3);
  await later.close();
  const restored = await openHost(t, { relay: relay.url, dataDir: copy });
  await restored.afterRestore();
  await restored.send(bond.id, "four", { thread: "t" });
  assert.deepEqual(await received(bob, 4), ["one", "two", "three", "four"]);
  const told = (await bob.feed({ limit: 1_000 })).some(({ event }) => event.event === "peer_restored");
  assert.ok(told);
});
