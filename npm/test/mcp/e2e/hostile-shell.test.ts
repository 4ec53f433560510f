// A model with a shell, as the same user: what it can do is what docs/threat-model.md says, and no more.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Identity, type PendingItem } from "agentpair";
import { codesIn } from "../../support/human.ts";
import { Relay } from "../../support/relay.ts";
import { lengthPrefixed, ratifyBytes } from "../../support/transcript.ts";
import { Agent, type Json } from "./support/agent.ts";
import { edit, keysUnder, overwrite, record } from "./support/database.ts";
import { Pen } from "./support/pen.ts";
import { codesOfItem, GATES, Stages } from "./support/stages.ts";
import { atTerminal } from "./support/terminal.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const PIN = "correct horse 42";
const THREATS = readFileSync(join(import.meta.dirname, "../../../../docs/threat-model.md"), "utf8");

test("the threat model says what is shown here", () => {
  const row = (begin: string) => THREATS.split("\n").find((line) => line.startsWith(`| ${begin}`)) ?? "";
  assert.match(
    row("also a shell"),
    /no PIN \| read the approval files and type the codes, by the tool, a pseudo-terminal/,
  );
  const [, , can = "", cannot = ""] = row("the same, and the owner has set a PIN").split("|");
  assert.match(can, /write into the store, send in the owner's name/);
  assert.match(cannot, /decide anything by file, terminal, page or form; make a ratification that a peer takes/);
});

test("without a PIN it reads the code and approves, as the threat model says", async (t) => {
  const stages = await Stages.start(t, relay.url);
  const model = await Agent.start(t, { dataDir: stages.dataDir, relay: relay.url });
  for (const gate of GATES) {
    const pending = await stages.reach(gate);
    const [{ approval_path } = { approval_path: "" }] = await model.waiting();
    const { approve } = codesIn(approval_path);
    if (gate === "open") {
      const { output } = await atTerminal(stages.dataDir, relay.url, ["approve", pending.id], [[/later:/, "approve"]]);
      assert.equal(await stages.channelOf(pending.id), "terminal", output);
    } else {
      await model.good("human_approve", { pending_id: pending.id, decision: "approve", approval_code: approve });
      assert.equal(await stages.channelOf(pending.id), "file");
    }
    await stages.passed(gate);
  }
});

/** Bob's human sets a PIN; Alice gets to know of it. */
async function setPin({ alice, bob }: Stages): Promise<void> {
  await bob.setPin(PIN);
  const knows = async () => (await alice.bonds())[0]?.peerApprover;
  if ((await alice.bonds()).length > 0) await alice.until(knows, "Bob's approver", { timeoutMs: 60_000 });
}

/** Both have signed and Bob's human is asked to ratify; all before was approved with the PIN, where there was one. */
async function signed(stages: Stages, pin: string | undefined): Promise<PendingItem> {
  const pending = await stages.reach("open");
  await stages.bob.decide(pending.id, codesOfItem(pending).approve, pin === undefined ? {} : { pin });
  await stages.passed("open");
  return stages.reach("ratify");
}

/** Alice has ratified, and what Bob's host or model sends is nothing to her. */
async function assertNotAgreed({ alice, thread }: Stages, how: string): Promise<void> {
  const refused = async () => {
    for (const { event } of await alice.feed({ limit: 10_000 })) {
      if (event.event === "refused" && event.thread === thread && event.code === "not_approved") return true;
    }
    return undefined;
  };
  await alice.until(refused, `the refusal of: ${how}`, { timeoutMs: 60_000 });
  const session = await alice.session("bob", thread);
  assert.deepEqual([session?.status, session?.ratifiedByPeer, session?.hasReceipt], ["signed", undefined, false], how);
}

/** Alice's human ratifies, and Bob's host knows. */
async function ratifiedByAlice({ alice, bob, thread }: Stages): Promise<void> {
  const asked = async () =>
    (await alice.pendings()).find(({ subject }) => subject.kind === "ratify" && subject.thread === thread);
  const item = await alice.until(asked, "Alice's question", { timeoutMs: 60_000 });
  await alice.decide(item.id, codesOfItem(item).approve);
  const knows = async () => (await bob.session("alice", thread))?.ratifiedByPeer;
  await bob.until(knows, "Alice's ratification", { timeoutMs: 60_000 });
}

/** Bob's model takes his bond's key from the database. */
async function stolenPen({ bob, dataDir }: Stages): Promise<Pen> {
  const bond = await bob.bond("alice");
  return new Pen(bond, record(dataDir, `secret/${bond.id}`));
}

/** A `nego.ratified` that the bond's key signed. */
function ratified(pen: Pen, { agreement, deadline, signer }: Json, approval?: object): object {
  const approved_at = Date.now();
  const offer_expires_at = Math.min(Date.parse(deadline), approved_at + 600_000);
  const channel = "terminal";
  const ratify_sig = pen.sign(ratifyBytes({ agreement, signer, approved_at, offer_expires_at, channel }));
  return { agreement, approved_at, offer_expires_at, channel, ratify_sig, ...(approval ? { approval } : {}) };
}

/** What an approver signs, over the key of somebody else. */
function forgedApproval(agreement: string, { id, digest }: PendingItem): object {
  const key = Identity.fromSeed(new Uint8Array(32).fill(7));
  const parts = [id, "approve", digest, agreement].map(lengthPrefixed);
  const sig = key.sign(Buffer.concat([Buffer.from("agentpair-approve-v1\0"), ...parts]));
  return { pending: id, digest, sig: Buffer.from(sig).toString("base64url") };
}

for (const when of ["before", "after"] as const) {
  test(`W17_who_reads_the_file_has_no_pin: with a PIN set ${when} bonding, no ratification of a model's is one to the peer`, async (t) => {
    const stages = await Stages.start(t, relay.url);
    const { alice, bob, dataDir } = stages;
    if (when === "before") await setPin(stages);
    const joining = await stages.reach("join");
    await bob.decide(joining.id, codesOfItem(joining).approve, when === "before" ? { pin: PIN } : {});
    await stages.passed("join");
    if (when === "after") await setPin(stages);
    assert.equal((await alice.bond("bob")).peerApprover, (await bob.me()).approver);
    const model = await Agent.start(t, { dataDir, relay: relay.url });

    // What stays in the model's own house is the same whenever the PIN was set.
    const attacks = Object.entries({ ...(when === "before" ? AT_HOME : {}), ...AT_THE_PEER });
    for (const [how, attack] of attacks) {
      await t.test(how, async () => {
        const pending = await signed(stages, PIN);
        await ratifiedByAlice(stages);
        const host = record(dataDir, "host/root");
        try {
          await attack(stages, pending, model);
          if (how in AT_HOME) await stages.assertOpen(pending.id, how);
          else await assertNotAgreed(stages, how);
          const session = await alice.session("bob", stages.thread);
          assert.deepEqual([session?.status, session?.ratifiedByPeer], ["signed", undefined], how);
        } finally {
          // The approver as the owner had it, with the counters as they are now.
          const { approver, approver_version, approver_proof } = JSON.parse(host ?? "{}");
          edit(dataDir, "host/root", (now) => Object.assign(now, { approver, approver_version, approver_proof }));
        }
      });
    }

    let approval: object | undefined;
    await t.test("the human's own, with code and PIN, is one", async () => {
      const pending = await signed(stages, PIN);
      await ratifiedByAlice(stages);
      await bob.decide(pending.id, codesOfItem(pending).approve, { pin: PIN });
      approval = approvalSent(stages);
      const agreed = async () => ((await alice.session("bob", stages.thread))?.status === "agreed" ? true : undefined);
      await alice.until(agreed, "the agreement", { timeoutMs: 60_000 });
    });

    await t.test("and is none for another agreement", async () => {
      await signed(stages, PIN);
      await ratifiedByAlice(stages);
      const pen = await stolenPen(stages);
      await pen.write("nego.ratified", stages.thread, ratified(pen, await stake(bob, stages.thread), approval));
      await assertNotAgreed(stages, "an approval of another agreement");
    });
  });
}

/** What the approver signed, as it waits in the outbox for the peer to take it. */
function approvalSent({ dataDir, thread }: Stages): object {
  for (const key of keysUnder(dataDir, "outbox/")) {
    const row = JSON.parse(record(dataDir, key) ?? "{}");
    if (row.kind === "nego.ratified" && row.thread === thread) return JSON.parse(row.payload).approval;
  }
  assert.fail("the ratification is not in the outbox");
}

/** What a model with a shell tries on a question. */
type Attacks = { [how: string]: (stages: Stages, pending: PendingItem, model: Agent) => Promise<void> };

/** What its own host refuses. */
const AT_HOME: Attacks = {
  async "the code from the file, through the tool"(_, pending, model) {
    const { approve } = codesOfItem(pending);
    const error = await model.bad("human_approve", { pending_id: pending.id, approval_code: approve });
    assert.equal(error.code, "pin_required");
  },

  async "the word at a pseudo-terminal, without the PIN"({ dataDir }, pending) {
    // The command takes the code from the file by itself.
    const answers: [RegExp, string][] = [
      [/later:/, "approve"],
      [/Your PIN:/, "00000000"],
      [/Your PIN:/, "\u0003"],
    ];
    const { code, output } = await atTerminal(dataDir, relay.url, ["approve", pending.id], answers);
    assert.notEqual(code, 0, output);
    assert.match(output, /the PIN is wrong/);
  },

  async "another check of the code"({ bob, dataDir }, pending, model) {
    // The code to reject approves then; the PIN is still asked for.
    const key = `pending/${pending.id}`;
    edit(dataDir, key, (item) => {
      item.approve_mac = item.reject_mac;
    });
    const { reject } = codesOfItem(pending);
    const error = await model.bad("human_approve", { pending_id: pending.id, approval_code: reject });
    assert.equal(error.code, "pin_required");
    await assert.rejects(bob.decide(pending.id, reject, { pin: "00000000" }), { code: "invalid_pin" });
  },

  async "a session that says it is ratified"({ bob, dataDir, thread }, pending) {
    const { id } = await bob.bond("alice");
    const key = sessionKey(dataDir, id, thread);
    const before = edit(dataDir, key, (session) => {
      const offer = Date.now() + 600_000;
      session.phase.mine = { approved_at: Date.now(), offer_expires_at: offer, channel: "page", sig: "A".repeat(86) };
    });
    assert.ok((await bob.session("alice", thread))?.ratifiedByMe);
    // Whatever this host believes of itself, the human is still asked.
    assert.ok((await bob.pendings()).some(({ id }) => id === pending.id));
    overwrite(dataDir, key, before);
  },
};

/** What its own host lets pass, since the store is what it made of it, and the peer refuses. */
const AT_THE_PEER: Attacks = {
  async "no approver in the store"({ dataDir }, pending, model) {
    edit(dataDir, "host/root", (host) => {
      host.approver = null;
    });
    await model.good("human_approve", { pending_id: pending.id, approval_code: codesOfItem(pending).approve });
  },

  async "an approver of its own, as if there never had been one"({ bob, dataDir }, pending) {
    edit(dataDir, "host/root", (host) =>
      Object.assign(host, { approver: null, approver_version: 0, approver_proof: null }),
    );
    await bob.setPin("the model's own");
    await bob.decide(pending.id, codesOfItem(pending).approve, { pin: "the model's own" });
  },

  async "an approver of its own, as the next one"({ alice, bob, dataDir }, pending) {
    const { peerApprover } = await alice.bond("bob");
    edit(dataDir, "host/root", (host) => Object.assign(host, { approver: null, approver_version: 1_000 }));
    await bob.setPin("the model's own");
    await bob.decide(pending.id, codesOfItem(pending).approve, { pin: "the model's own" });
    assert.equal((await alice.bond("bob")).peerApprover, peerApprover);
  },

  async "an envelope of its own, without an approval"(stages) {
    const { bob, thread } = stages;
    const pen = await stolenPen(stages);
    await pen.write("nego.ratified", thread, ratified(pen, await stake(bob, thread)));
  },

  async "an envelope of its own, with an approval by another key"(stages, pending) {
    const { bob, thread } = stages;
    const pen = await stolenPen(stages);
    const at = await stake(bob, thread);
    await pen.write("nego.ratified", thread, ratified(pen, at, forgedApproval(at.agreement, pending)));
  },
};

/** What a ratification is about. */
async function stake(bob: Stages["bob"], thread: string): Promise<Json> {
  const session = await bob.session("alice", thread);
  const { own } = await bob.bond("alice");
  return { agreement: session?.agreement, deadline: session?.terms.budget.deadline, signer: own };
}

function sessionKey(dataDir: string, bond: string, thread: string): string {
  const found = keysUnder(dataDir, `session/${bond}/`).find(
    (key) => JSON.parse(record(dataDir, key) ?? "{}").thread === thread,
  );
  assert.ok(found, "no such session in the store");
  return found;
}
