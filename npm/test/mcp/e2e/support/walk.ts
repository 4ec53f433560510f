import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { verifyReceipt } from "agentpair";
import { type Agent, type Json, name } from "./agent.ts";

const TERMS = {
  goal: "Fix the price of one hour",
  acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
};

/** What a walk leads to. */
export interface Walked {
  /** The receipt, the same on both sides. */
  receipt: string;
  thread: string;
}

/**
 * Two agents pair, talk and agree, through nothing but the tools; the test plays both humans. Alice's server and Bob's
 * run on one relay and are new.
 */
export async function walk(alice: Agent, bob: Agent): Promise<Walked> {
  await paired(alice, bob);
  await compared(alice, bob);
  await talked(alice, bob);
  const walked = await agreed(alice, bob);
  await closed(alice, bob);
  await exported(alice, bob);
  await parted(alice, bob);
  return walked;
}

/** Bob joins with Alice's code. */
export async function paired(alice: Agent, bob: Agent, petname: string = "bob"): Promise<void> {
  const { pairing, code, expires_at, completion } = await alice.good("pair_init", { petname });
  assert.match(code, /^\d{2,5}(-[a-z]+){3}$/);
  assert.ok(Date.parse(expires_at) > Date.now());
  assert.equal(completion, "automatic");
  const joining = await bob.good("pair_join", { code, petname: "alice" });
  const asked = joining.waiting.find(({ pending_id }: Json) => pending_id === joining.pending_id);
  assert.equal(asked?.kind, "join", JSON.stringify(joining));
  await bob.decide("join", "approve", ({ pending_id }) => pending_id === joining.pending_id);
  for (const [agent, which] of [
    [alice, { pairing }],
    [bob, { pairing: joining.pairing }],
  ] as const) {
    const done = await agent.good("pair_init_complete", which);
    assert.equal(done.status, "bonded", JSON.stringify(done));
  }
  for (const [agent, peer] of [
    [alice, petname],
    [bob, "alice"],
  ] as const) {
    const { me, bonds } = await agent.good("list_bonds");
    assert.match(me.agent_id, /^ed25519:[\w-]{43}$/);
    const bond = bonds.find((bond: Json) => bond.peer === peer);
    assert.deepEqual([bond?.status, bond?.verified], ["active", false], JSON.stringify(bonds));
  }
}

/** Both humans see the same safety number, and say so. */
async function compared(alice: Agent, bob: Agent): Promise<void> {
  const of = (agent: Agent, peer: string, more: Json = {}) => agent.good("safety_number", { peer, ...more });
  const [ours, theirs] = await Promise.all([of(alice, "bob", { ask_human: true }), of(bob, "alice")]);
  assert.equal(ours.number.length, 5);
  for (const group of ours.number) assert.match(group, /^\d{6}$/);
  assert.deepEqual(ours.number, theirs.number);
  await alice.decide("verify", "approve", ({ pending_id }) => pending_id === ours.pending_id);
  assert.equal((await of(alice, "bob")).verified, true);
}

async function talked(alice: Agent, bob: Agent): Promise<void> {
  const sent = await alice.good("send", {
    to: "bob",
    body: "Shall we fix the price?",
    thread: "price",
    kind: "question",
  });
  assert.equal(sent.thread, "price");
  const isWords = (body: string) => (item: Json) => item.body?.data === body;
  const heard = await bob.heard(isWords("Shall we fix the price?"), "Alice's words");
  assert.deepEqual(heard.body, { untrusted: true, source: "peer", peer: "alice", data: "Shall we fix the price?" });
  assert.equal(name(heard.thread), "price");
  assert.equal(heard.kind.data, "question");
  await bob.good("send", { to: "alice", body: "Yes, let us.", thread: "price" });
  await alice.heard(isWords("Yes, let us."), "Bob's answer");
  // What the next call of the same server marked as read is not shown again, but can be asked for.
  await bob.good("inbox");
  const again = await bob.good("inbox");
  assert.ok(!again.items.some(isWords("Shall we fix the price?")));
  const all = await bob.good("inbox", { include_history: true });
  assert.ok(all.items.some(isWords("Shall we fix the price?")));
}

/** Open, propose, counter, extend, accept, sign, ratify. */
async function agreed(alice: Agent, bob: Agent): Promise<Walked> {
  const budget = { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() };
  const { session } = await alice.good("session_open", { to: "bob", ...TERMS, budget });
  const { thread } = session;
  assert.deepEqual([session.status, session.opened_by, session.max_turns], ["pending", "me", 4]);
  const asked = await bob.decide("open");
  assert.equal(asked.peer, "alice");
  await alice.sessionThat(thread, ({ status }) => status === "live", "Bob's human to agree to negotiate");

  const price = (text: string) => ({ kind: "text", name: "price.txt", media_type: "text/plain", text });
  await alice.good("session_msg", { thread, type: "propose", body: "A fair price.", deliverable: price("120 EUR\n") });
  await bob.sessionThat(thread, (session) => session.your_turn && session.turns === 1, "Alice's proposal");
  const { artifact_hash, bytes } = await bob.good("artifact_put", { content: "110 EUR\n" });
  assert.deepEqual([artifact_hash, bytes], [sha256("110 EUR\n"), 8]);
  const counter = { artifact_hash, kind: "text", name: "price.txt", media_type: "text/plain" };
  await bob.good("session_msg", { thread, peer: "alice", type: "counter", body: "Rather this.", deliverable: counter });
  await alice.sessionThat(thread, ({ turns }) => turns === 2, "Bob's counter-proposal");
  const { turns, session: near } = await alice.good("session_status", { thread, peer: "bob" });
  assert.deepEqual([turns.length, turns[1].body.data], [2, "Rather this."]);
  assert.equal(near.turns_remaining, 2);
  assert.match(near.suggested_next, /converge/);
  const { deliverable } = await alice.good("session_status", { thread, deliverable: artifact_hash });
  assert.deepEqual([deliverable.text.data, deliverable.sha256], ["110 EUR\n", artifact_hash]);

  const extending = await alice.good("session_extend_budget", { thread, new_max_turns: 6 });
  await alice.decide("extend", "approve", ({ pending_id }) => pending_id === extending.pending_id);
  await bob.decide("extend");
  await alice.sessionThat(thread, (session) => session.max_turns === 6, "more turns");

  const refused = await alice.bad("atest_run", { thread, criterion_id: "price", artifact_hash });
  assert.equal(refused.code, "not_available");
  await alice.good("session_msg", { thread, type: "accept", body: "Agreed.", artifact_hash });
  await bob.sessionThat(thread, ({ turns }) => turns === 3, "Alice's acceptance");
  const early = await bob.bad("receipt", { thread });
  assert.notEqual(early.blame, "bug");
  await alice.good("session_sign", { thread, artifact_hash });
  await bob.sessionThat(
    thread,
    (session) => session.signed_by_peer === true || session.signed_by_peer,
    "Alice's signature",
  );
  const signed = await bob.good("session_sign", { thread, artifact_hash });
  assert.equal(signed.session.status, "signed");
  await Promise.all([alice.decide("ratify"), bob.decide("ratify")]);
  for (const agent of [alice, bob]) {
    const session = await agent.sessionThat(thread, ({ status }) => status === "agreed", "the agreement");
    assert.deepEqual([session.ratified_by_me, session.ratified_by_peer, session.has_receipt], [true, true, true]);
  }

  const [ours, theirs] = [await receipt(alice, thread), await receipt(bob, thread)];
  assert.equal(ours, theirs);
  const verified = verifyReceipt(ours);
  assert.deepEqual([verified.sha256, verified.terms.goal], [artifact_hash, TERMS.goal]);
  return { receipt: ours, thread };
}

/** A receipt whole, however many pages it has. */
export async function receipt(agent: Agent, thread: string): Promise<string> {
  let text = "";
  let sha256Said = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: Json = await agent.good("receipt", { thread, offset });
    text += page.receipt;
    sha256Said = page.sha256;
    offset = page.next_offset;
  }
  assert.equal(verifyReceipt(text).sha256, sha256Said);
  return text;
}

/** A session that leads to nothing. */
async function closed(alice: Agent, bob: Agent): Promise<void> {
  const { session } = await alice.good("session_open", { to: "bob", goal: "Something else" });
  assert.equal(session.max_turns, 20);
  await bob.question("open", ({ thread }) => name(thread ?? "") === session.thread);
  await alice.good("close", { thread: session.thread, peer: "bob", reason: "It has settled itself." });
  const ended = await bob.sessionThat(session.thread, ({ status }) => status === "ended", "the end");
  assert.equal(ended.words?.data, "It has settled itself.");
  assert.deepEqual(
    (await bob.waiting()).filter(({ kind }) => kind === "open"),
    [],
  );
}

async function exported(alice: Agent, bob: Agent): Promise<void> {
  for (const agent of [alice, bob]) {
    const records = await audit(agent);
    const acts = new Set(records.map(({ act }) => act));
    for (const act of ["human_asked", "human_decided", "agreed", "envelope_sealed", "envelope_accepted"]) {
      assert.ok(acts.has(act), `${act} is missing among ${[...acts]}`);
    }
  }
}

/** The whole audit log; its records are chained, and its head is that of the last. */
export async function audit(agent: Agent): Promise<Json[]> {
  const records: Json[] = [];
  for (let since = 0; ; ) {
    const page = await agent.good("audit_export", { since });
    records.push(...page.records);
    const last = records.at(-1);
    assert.ok(last, "the audit log is empty");
    since = last.n;
    if (page.more) continue;
    assert.deepEqual([page.head.n, page.head.hash], [last.n, last.hash]);
    break;
  }
  let prev = "0".repeat(64);
  records.forEach((record, index) => {
    assert.deepEqual([record.n, record.prev], [index + 1, prev]);
    prev = record.hash;
  });
  return records;
}

async function parted(alice: Agent, bob: Agent): Promise<void> {
  const { peer } = await alice.good("revoke", { peer: "bob", reason: "We are done." });
  assert.equal(peer, "bob");
  const gone = async () => {
    const { bonds } = await bob.good("list_bonds");
    return bonds.find((bond: Json) => bond.peer === "alice")?.status === "revoked_by_peer" || undefined;
  };
  await bob.until(gone, "the end of the bond");
  const refused = await bob.bad("send", { to: "alice", body: "Still there?" });
  assert.notEqual(refused.blame, "bug");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
