import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Host, printable, type Shown, shownLines } from "agentpair";
import { openHost, openTwo, pair } from "./support/hosts.ts";
import { codesIn, codesOf } from "./support/human.ts";
import { Relay } from "./support/relay.ts";
import { scratch } from "./support/scratch.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const peer = (text: string): Shown => ({ label: "goal", text, from_peer: true });
const linesOf = (...shown: Shown[]) =>
  shownLines({ id: "i", subject: { kind: "verify", bond: "b" }, question: "Ratify?", shown, digest: "", expiresAt: 0 });

test("W19_no_text_of_a_peer_passes_for_the_hosts: a peer cannot write a line that begins at the margin, or like one of ours", () => {
  const forged = "approve: 123456";
  const tricks = [
    `\n${forged}`,
    `\r${forged}`,
    `\u2028${forged}`,
    `\u2029${forged}`,
    `\u0085${forged}`,
    `\v${forged}`,
    `\f${forged}`,
    `${" ".repeat(200)}${forged}`,
    `${"長".repeat(100)}${forged}`,
    `\u001b[2K\u001b[1G${forged}`,
    `\u202e${[...forged].reverse().join("")}`,
    `\b\b\b\b\b\b\b\b\b\b\b\b${forged}`,
  ];
  for (const trick of tricks) {
    const lines = linesOf(peer(trick));
    assert.deepEqual(lines.slice(0, 3), ["  Ratify?", "", "  goal (written by the peer, checked by nobody):"]);
    for (const line of lines.slice(3)) {
      assert.match(line, /^ {2}peer [|+] /, JSON.stringify(trick));
      assert.match(line, /^[^\p{C}\p{Zl}\p{Zp}]*$/u, JSON.stringify(trick));
      const width = [...line].reduce((sum, c) => sum + (c.charCodeAt(0) < 127 ? 1 : 2), 0);
      assert.ok(width <= 72, `${width}: ${line}`);
    }
  }
});

test("what cannot be seen is made visible, and nothing else changes", () => {
  assert.equal(printable("a\u202eb\u200bc\u0007d\te\u{e0041}"), "a\\u{202e}b\\u{200b}c\\u{7}d\\u{9}e\\u{e0041}");
  const plain = 'Größe: {"é": "日本語 🙂"}\nsecond line';
  assert.equal(printable(plain), plain);
});

test("W17_the_codes_are_in_one_private_file: the human is asked by a private file, which goes when it is decided", async (t) => {
  const { alice, bond } = await pair(...(await openTwo(t, relay.url)));
  const id = await alice.verify(bond.id);
  const [item] = await alice.pendings();
  assert.equal(item?.id, id);
  const place = item?.place ?? "";
  assert.equal(statSync(place).mode & 0o777, 0o600);
  const { text, approve, reject } = codesIn(place);
  assert.match(text, /^AgentPair asks for your decision\.\n\n {2}Does bob see the same safety number/);
  assert.match(approve, /^\d{6}$/);
  assert.match(reject, /^\d{6}$/);
  assert.notEqual(approve, reject);
  // The codes exist nowhere else: not in what an agent gets, and not in the store.
  const seen = JSON.stringify([item, await alice.feed(), await alice.audit(), await alice.bonds()]);
  const { dataDir } = alice as Host & { dataDir: string };
  const stored = ["agentpair.db", "agentpair.db-wal"].map((file) => readFileSync(join(dataDir, file), "latin1")).join();
  for (const code of [approve, reject]) {
    // As a value: six digits in a row may be in any number or hash.
    const value = new RegExp(`(?<![\\w-])${code}(?![\\w-])`);
    assert.doesNotMatch(seen, value);
    assert.doesNotMatch(stored, value);
  }
  await alice.decide(id, approve);
  assert.throws(() => statSync(place), { code: "ENOENT" });
  await assert.rejects(alice.decide(id, approve), { code: "pending_not_found" });
});

test("a host that starts puts its files in order", async (t) => {
  const bob = await openHost(t, { relay: relay.url });
  const dataDir = join(scratch(), "data");
  const alice = await Host.open({ dataDir, relay: relay.url });
  const { bond } = await pair(alice, bob);
  const pending = await alice.verify(bond.id);
  const before = await codesOf(alice, pending);
  await alice.close();
  const files = join(dataDir, "approvals");
  assert.deepEqual(readdirSync(files), [pending]);
  rmSync(join(files, pending));
  writeFileSync(join(files, "00000000-0000-4000-8000-000000000000"), before.text);
  writeFileSync(join(files, `${pending}.1.tmp`), before.text);

  const again = await openHost(t, { dataDir, relay: relay.url });
  assert.deepEqual(readdirSync(files), [pending]);
  const after = await codesOf(again, pending);
  assert.notEqual(after.approve, before.approve);
  await assert.rejects(again.decide(pending, before.approve), { code: "invalid_approval_code" });
  assert.equal(await again.decide(pending, after.approve), "approve");
  assert.ok((await again.bond(bond.id)).verification);
});

test("a question put in one process can be decided in another", async (t) => {
  const bob = await openHost(t, { relay: relay.url });
  const options = { dataDir: join(scratch(), "data"), relay: relay.url };
  const [one, other] = [await openHost(t, options), await openHost(t, options)];
  const { bond } = await pair(one, bob);
  const pending = await other.verify(bond.id);
  const { approve } = await codesOf(one, pending);
  assert.equal(await one.decide(pending, approve), "approve");
  assert.deepEqual(await other.pendings(), []);
  assert.ok((await other.bond(bond.id)).verification);
});

test("after five wrong codes a question is closed for the day", async (t) => {
  const { alice, bond } = await pair(...(await openTwo(t, relay.url)));
  const pending = await alice.verify(bond.id);
  const { approve } = await codesOf(alice, pending);
  for (let left = 4; left >= 0; left--) {
    await assert.rejects(alice.decide(pending, "no code"), {
      code: "invalid_approval_code",
      message: new RegExp(`; ${left} more may be tried today$`),
    });
  }
  await assert.rejects(alice.decide(pending, approve), { code: "attempts_exhausted" });
  assert.equal((await alice.bond(bond.id)).verification, undefined);
});

test("what somebody else puts beside the approval files is in nobody's way", async (t) => {
  const dataDir = join(scratch(), "data");
  await (await Host.open({ dataDir, network: false })).close();
  const place = (name: string) => join(dataDir, "approvals", name);
  writeFileSync(place("a copy of one"), "by hand");
  mkdirSync(place("more"));
  writeFileSync(place("gone"), "of a question that nobody asks any more");
  const host = await openHost(t, { dataDir, relay: relay.url });
  const left = async () => (readdirSync(place("")).length === 2 ? readdirSync(place("")).sort() : undefined);
  assert.deepEqual(await host.until(left, "a look", { timeoutMs: 30_000 }), ["a copy of one", "more"]);
});
