// A bonded peer that wants an agreement, turns or a session that this side's human did not decide on.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Host, verifyReceipt } from "agentpair";
import { Agent, type Json } from "../mcp/e2e/support/agent.ts";
import { record } from "../mcp/e2e/support/database.ts";
import { Pen } from "../mcp/e2e/support/pen.ts";
import { openHost, pair } from "../support/hosts.ts";
import { codesOf } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { heard, said } from "./support/feeds.ts";
import { agreementOf, ratified, sha256, stakeOf } from "./support/gate-agreement.ts";
import {
  decide,
  live,
  type Party,
  propose,
  question,
  questions,
  sessionOf,
  sign,
  signed,
  stands,
  terms,
  text,
} from "./support/gate-sessions.ts";
import { mallory } from "./support/mallory.ts";

/** One relay and one pair for all tests of this file. Bob's host is honest; whoever has the pen is not. */
const whole = { after };
const relay = await Relay.start(whole);
const [alice, bob] = [await open("alice"), await open("bob")];
const { bond, back } = await pair(alice, bob);
const [here, there]: [Party, Party] = [
  { host: alice, bond: bond.id },
  { host: bob, bond: back.id },
];
const pen = new Pen(back, record(bob.dataDir, `secret/${back.id}`));

function open(name: string): Promise<Host> {
  return openHost(whole as never, { relay: relay.url, dataDir: join(scratch(), name) });
}

/** Writes an envelope that has to be refused. Resolves with the code. */
async function refused(type: string, thread: string, payload: object): Promise<string> {
  const id = randomUUID();
  assert.equal(await pen.attempt(type, thread, payload, id), 204);
  return (await heard(alice, "refused", (event) => event.id === id)).code;
}

/** Writes an envelope, and waits until it was taken. */
async function taken(type: string, thread: string, payload: object): Promise<void> {
  await pen.write(type, thread, payload);
  const body = randomUUID();
  await pen.write("core.msg", "settled", { body });
  await heard(alice, "message", (event) => event.body === body);
}

const [ONE, TWO] = [text("120 EUR\n"), text("12,000 EUR\n", "other.txt")];
const [H1, H2] = [sha256(ONE.text), sha256(TWO.text)];

/** Both agents signed, and no human says a word: it is over while the other tests run. */
const BRIEF = { max_turns: 6, deadline: new Date(Date.now() + 15_000).toISOString() };
const forgotten = await signed(here, there, { budget: BRIEF }, ONE);

test("W12_unequal_hashes_are_no_agreement, and an equal one is frozen", async () => {
  const thread = await live(here, there);
  assert.equal(await propose(here, there, thread, ONE), H1);
  assert.equal(await propose(there, here, thread, TWO), H2);
  const stake = stakeOf(alice, bond, thread);
  const [D1, D2] = [agreementOf(stake, ONE), agreementOf(stake, TWO)];
  await sign(here, there, thread, H1);
  const signedAs = (artifact_hash: string, agreement?: string) => ({ thread, artifact_hash, agreement });
  const isStillLive = async (theirs: string | undefined) => {
    const { status, signedByMe, signedByPeer, deliverable } = await sessionOf(here, thread);
    assert.deepEqual([status, signedByMe, signedByPeer, deliverable], ["live", H1, theirs, undefined]);
    assert.deepEqual(await questions(here, thread), []);
  };
  await taken("nego.signed", thread, signedAs(H2, D2));
  await isStillLive(H2);
  // One that nobody put forward, and the right one under the digest of another agreement, or none.
  await taken("nego.signed", thread, signedAs(sha256("3"), D1));
  await isStillLive(sha256("3"));
  assert.equal(await refused("nego.signed", thread, signedAs(H1, D2)), "agreement_mismatch");
  assert.equal(await refused("nego.signed", thread, signedAs(H1)), "invalid_payload");
  assert.equal(await refused("nego.signed", thread, signedAs(H1.toUpperCase(), D1)), "invalid_payload");
  await isStillLive(sha256("3"));

  await taken("nego.signed", thread, signedAs(H1, D1));
  const asked = await question(here, "ratify", thread);
  assert.equal((await sessionOf(here, thread)).agreement, D1);
  for (const [hash, digest] of [
    [H2, D2],
    [H2, D1],
    [H1, D2],
  ] as const) {
    assert.equal(await refused("nego.signed", thread, signedAs(hash, digest)), "hash_frozen");
  }
  assert.deepEqual(await questions(here, thread), [asked]);
  assert.equal((await sessionOf(here, thread)).deliverable?.sha256, H1);
  await alice.closeThread(bond.id, thread);

  // The peer signs first, under a digest of its own: then this side does not sign at all.
  const first = await live(here, there);
  await propose(there, here, first, ONE);
  const wrong = agreementOf(stakeOf(alice, bond, first), TWO);
  await taken("nego.signed", first, { thread: first, artifact_hash: H1, agreement: wrong });
  await assert.rejects(alice.sign(bond.id, first, H1), { code: "agreement_mismatch" });
  const { status, signedByMe } = await sessionOf(here, first);
  assert.deepEqual([status, signedByMe, await questions(here, first)], ["live", undefined, []]);
});

test("W13_what_the_human_ratified_is_not_exchanged_afterwards", async () => {
  const thread = await live(here, there);
  await propose(there, here, thread, TWO);
  await propose(here, there, thread, ONE);
  await sign(there, here, thread, H1);
  await sign(here, there, thread, H1);
  const stake = stakeOf(alice, bond, thread);
  const [D1, D2] = [agreementOf(stake, ONE), agreementOf(stake, TWO)];
  await decide(here, "ratify", thread);
  const signer = back.own;
  assert.equal(await refused("nego.signed", thread, { thread, artifact_hash: H2, agreement: D2 }), "hash_frozen");
  const both = (hash: string, agreement: string, more = {}) => ratified(pen, thread, hash, { agreement, signer }, more);
  assert.equal(await refused("nego.ratified", thread, both(H2, D2)), "agreement_mismatch");
  assert.equal(await refused("nego.ratified", thread, both(H1, D2)), "agreement_mismatch");
  assert.equal(await refused("nego.ratified", thread, both(H2, D1)), "agreement_mismatch");
  assert.equal(await refused("nego.ratified", thread, both(H1, D2, { agreement: D1 })), "invalid_signature");
  const { status, ratifiedByMe, ratifiedByPeer, hasReceipt, deliverable } = await sessionOf(here, thread);
  assert.deepEqual([status, ratifiedByPeer, hasReceipt, deliverable?.sha256], ["signed", undefined, false, H1]);
  assert.ok(ratifiedByMe);

  await decide(there, "ratify", thread);
  await stands(here, thread, ({ status }) => status === "agreed");
  const receipt = verifyReceipt(Buffer.from((await alice.receipt(bond.id, thread)) ?? ""));
  assert.deepEqual([receipt.sha256, receipt.agreement], [H1, D1]);
});

test("W14_more_turns_are_exactly_those_that_the_human_granted", async () => {
  const thread = await live(here, there);
  const maxTurns = async () => (await sessionOf(here, thread)).maxTurns;
  const approve = (proposal_id: string, new_max_turns: number) =>
    refused("nego.budget_approved", thread, { thread, proposal_id, new_max_turns });
  // Nobody has asked.
  assert.equal(await approve(randomUUID(), 30), "invalid_payload");
  const pending = await alice.extend(bond.id, thread, 30);
  const own = (await question(here, "extend", thread)).subject;
  const proposal = "proposal_id" in own ? own.proposal_id : "";
  // Alice's own human has not said a word yet.
  assert.equal(await approve(proposal, 30), "invalid_payload");
  await alice.decide(pending, (await codesOf(alice, pending)).approve);
  const asked = (await question(there, "extend", thread)).subject;
  assert.equal("proposal_id" in asked && asked.proposal_id, proposal);
  for (const number of [1_000, 31, 29, 6, 1])
    assert.equal(await approve(proposal, number), "invalid_payload", `${number}`);
  assert.equal(await approve(randomUUID(), 30), "invalid_payload");
  assert.equal(await maxTurns(), 6);
  await taken("nego.budget_approved", thread, { thread, proposal_id: proposal, new_max_turns: 30 });
  assert.equal(await maxTurns(), 30);
  for (const number of [30, 31]) assert.equal(await approve(proposal, number), "invalid_payload", "once more");

  // The number that the human is asked about is exchanged for another one.
  const proposal_id = randomUUID();
  await taken("nego.budget_propose", thread, { thread, proposal_id, new_max_turns: 40 });
  const small = await question(here, "extend", thread);
  const { approve: code, text: shown } = await codesOf(alice, small.id);
  assert.match(shown, /turns allowed then:\n +40\n/);
  await taken("nego.budget_propose", thread, { thread, proposal_id, new_max_turns: 900 });
  await assert.rejects(alice.decide(small.id, code), { code: "pending_not_found" });
  const large = await question(here, "extend", thread);
  assert.match((await codesOf(alice, large.id)).text, /Allow 900 turns .*turns allowed then:\n +900\n/s);
  await assert.rejects(alice.decide(large.id, code), { code: "invalid_approval_code" });
  assert.equal(await maxTurns(), 30);
  await decide(here, "extend", thread, "reject");
  assert.equal(await maxTurns(), 30);
});

test("W17_no_code_is_in_an_answer_to_the_agent_or_on_standard_error", async (t) => {
  const model = await Agent.start(t, { dataDir: alice.dataDir, relay: relay.url });
  const seen: string[] = [];
  model.inspect = (_, result) => seen.push(JSON.stringify(result));
  const opening = await bob.openSession(back.id, terms());
  await question(here, "open", opening);
  await model.good("safety_number", { peer: "bob", ask_human: true });
  await model.bad("human_approve", { pending_id: randomUUID(), decision: "approve", approval_code: "000000" });
  const { waiting } = await model.good("list_bonds");
  await model.good("session_status", { thread: opening, peer: "bob" });
  for (const tool of ["inbox", "session_status", "audit_export"]) await model.good(tool);
  for (const uri of ["agentpair://approvals", `agentpair://session/bob/${opening}`]) {
    seen.push(JSON.stringify(await model.client.readResource({ uri })));
  }
  const items = await alice.pendings();
  assert.ok(items.length >= 2);
  for (const { id, place = "" } of items) {
    // It is told where the human finds the question, and nothing of what stands there.
    assert.ok(waiting.some(({ pending_id, approval_path }: Json) => pending_id === id && approval_path === place));
    const { approve, reject } = await codesOf(alice, id);
    for (const code of [approve, reject]) {
      assert.match(code, /^\d{6}$/);
      // As a word: six digits in a row may be in any number or hash.
      assert.doesNotMatch(seen.join("\n"), new RegExp(`(?<![\\w-])${code}(?![\\w-])`));
    }
  }
  assert.equal(model.wire.errors, "");
});

test("W18_the_human_sees_all_that_the_decision_is_about", async (t) => {
  const lines = async (host: Host, id: string) => {
    const { text } = await codesOf(host, id);
    // Without the margins, and the marks of what the peer wrote.
    return text.split("\n").map((line) => line.replace(/^ +(peer [|+] )?/, ""));
  };
  const shows = async (host: Host, id: string, wanted: string[]) => {
    const shown = await lines(host, id);
    for (const line of wanted) assert.ok(shown.includes(line), `${line} is not in\n${shown.join("\n")}`);
  };
  const deadline = new Date(Date.now() + 1_800_000).toISOString();
  const thread = await bob.openSession(back.id, {
    goal: "Sell the house\nand the garden",
    acceptance: [
      { id: "a1", test: "judgment", desc: "it is fair" },
      { id: "a2", test: "executable", desc: "it adds up", runner: "adder" },
    ],
    budget: { max_turns: 17, deadline },
    mandate: { agent_may: ["sell", "rent"], human_required: ["sign"], escalate_on: ["doubt"] },
  });
  const opening = await question(here, "open", thread);
  const tail = bond.peer.slice(-8);
  await shows(alice, opening.id, [
    `bob, key ending in ${tail}`,
    ...["Sell the house", "and the garden", "a1 (by judgment): it is fair", "a2 (by the test adder): it adds up"],
    ...["17", deadline, "sell, rent", "sign", "doubt"],
  ]);
  await decide(here, "open", thread);
  await stands(there, thread, ({ status }) => status === "live");
  const long = Array.from({ length: 3_000 }, (_, n) => `clause ${n}`);
  const hash = await propose(there, here, thread, text(`${long.join("\n")}\n`, "contract.txt"));
  await alice.extend(bond.id, thread, 23);
  const more = await question(here, "extend", thread);
  await shows(alice, more.id, [`bob, key ending in ${tail}`, "Sell the house", "1", "17", "23"]);
  await alice.decide(more.id, (await codesOf(alice, more.id)).reject);
  await sign(there, here, thread, hash);
  await sign(here, there, thread, hash);
  const ratify = await question(here, "ratify", thread);
  const { agreement = "" } = await sessionOf(here, thread);
  await shows(alice, ratify.id, [
    ...[`bob, key ending in ${tail}`, "Sell the house", "contract.txt (text, text/plain)", hash, agreement, deadline],
    ...long,
  ]);

  const { code } = await bob.invite({ scope: ["message"], mode: "ephemeral_until_session_closes", timeoutMs: 30_000 });
  const carol = await openHost(t, { relay: relay.url });
  await carol.join(code, { petname: "bert" });
  const joining = await carol.until(async () => (await carol.pendings())[0], "the question", { timeoutMs: 60_000 });
  await shows(carol, joining.id, ["Bond with bert?", "message", "ephemeral_until_session_closes", relay.url]);
  await carol.decide(joining.id, (await codesOf(carol, joining.id)).reject);
  const verify = await alice.verify(bond.id);
  await shows(alice, verify, [(await alice.safetyNumber(bond.id)).join(" "), bond.keysDigest]);
});

test("W20_a_refusal_to_ratify_lasts_and_is_told, and nobody is asked again", async () => {
  const { thread } = await signed(here, there, {}, ONE);
  const agreement = agreementOf(stakeOf(alice, bond, thread), ONE);
  await decide(here, "ratify", thread, "reject");
  const { reason } = await stands(there, thread, ({ status }) => status === "ended");
  assert.equal(reason, "ratify_rejected");
  assert.deepEqual(await questions(there, thread), []);
  // Whatever the peer says now, and whatever this side's agent looks at or tries.
  assert.equal(await refused("nego.signed", thread, { thread, artifact_hash: H1, agreement }), "thread_closed");
  const late = ratified(pen, thread, H1, { agreement, signer: back.own });
  assert.equal(await refused("nego.ratified", thread, late), "thread_closed");
  assert.equal(await refused("nego.turn", thread, { thread, msg_type: "propose", deliverable: TWO }), "thread_closed");
  await taken("nego.open", thread, terms());
  await assert.rejects(alice.sign(bond.id, thread, H1), { code: "thread_closed" });
  await assert.rejects(alice.extend(bond.id, thread, 50), { code: "thread_closed" });
  const { status, ratifiedByMe, hasReceipt } = await sessionOf(here, thread);
  assert.deepEqual([status, ratifiedByMe, hasReceipt], ["ended", undefined, false]);
  assert.deepEqual(await questions(here, thread), []);
});

test("W21_words_about_an_opening_change_nothing_once_it_was_decided", async () => {
  const lively = await live(here, there);
  const { thread: frozen } = await signed(here, there, {}, ONE);
  const own = await live(there, here);
  const accepted = (thread: string) => sha256(stakeOf(alice, bond, thread).opening);
  const expected: [thread: string, status: string, code: string][] = [
    [lively, "live", "session_not_live"],
    [frozen, "signed", "session_not_live"],
    [own, "live", "wrong_role"],
  ];
  for (const [thread, status, code] of expected) {
    const asked = (await questions(here, thread)).map(({ id }) => id);
    for (const type of ["nego.open_approved", "nego.open_reject", "nego.open_expired"]) {
      assert.equal(await refused(type, thread, { thread, terms: accepted(thread), reason: "no" }), code, type);
      assert.equal((await sessionOf(here, thread)).status, status, type);
    }
    assert.deepEqual(
      (await questions(here, thread)).map(({ id }) => id),
      asked,
    );
  }
  // And before it was decided: an approval of other terms is none, and nobody approves his own opening.
  const waiting = await alice.openSession(bond.id, terms());
  for (const terms of [undefined, sha256("other terms"), accepted(frozen)]) {
    assert.equal(await refused("nego.open_approved", waiting, { thread: waiting, terms }), "agreement_mismatch");
  }
  const theirs = randomUUID();
  await taken("nego.open", theirs, terms());
  assert.equal(await refused("nego.open_approved", theirs, { thread: theirs }), "wrong_role");
  assert.equal(await refused("nego.turn", theirs, { thread: theirs, msg_type: "propose" }), "session_not_live");
  for (const thread of [waiting, theirs]) assert.equal((await sessionOf(here, thread)).status, "pending");
  assert.equal((await questions(here, theirs)).length, 1);
});

test("W22_the_scope_of_a_bond_is_enforced_both_ways, and the mandate is said to be advice", async (t) => {
  const talker = await mallory(t, alice, relay.url, "talker", { scope: ["message"] });
  const dealer = await mallory(t, alice, relay.url, "dealer", { scope: ["negotiate"] });
  await talker.pen.write("nego.open", "deal", terms());
  await dealer.pen.write("core.msg", "talk", { body: "a word between" });
  for (const [{ back }, thread] of [
    [talker, "deal"],
    [dealer, "talk"],
  ] as const) {
    const { code } = await heard(alice, "refused", (event) => event.bond === back.id && event.thread === thread);
    assert.equal(code, "scope_not_granted");
  }
  assert.equal(await alice.session(talker.back.id, "deal"), undefined);
  assert.ok(!(await said(alice)).includes("a word between"));
  await assert.rejects(alice.openSession("talker", terms()), { code: "scope_not_granted" });
  await assert.rejects(alice.send("dealer", "a word"), { code: "scope_not_granted" });
  await talker.pen.write("core.msg", "talk", { body: "as granted" });
  await heard(alice, "message", ({ body }) => body === "as granted");
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/developer-guide.md"), "utf8");
  assert.match(guide, /mandate are for\s+humans and agents to read; this layer does not enforce them/);
});

test("W20_where_no_human_decides_the_deadline_does, on both sides", async () => {
  for (const party of [here, there]) {
    const { reason } = await stands(party, forgotten.thread, ({ status }) => status === "ended");
    assert.equal(reason, "deadline_expired");
    assert.deepEqual(await questions(party, forgotten.thread), []);
  }
});
