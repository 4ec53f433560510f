// Clients that the server asks for the human's code, and that answer in the human's place.
import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { PendingItem } from "agentpair";
import { Relay } from "../../support/relay.ts";
import { Agent, type Json } from "./support/agent.ts";
import { type Filled, type Form, KINDS, type Kind } from "./support/clients.ts";
import { codesOfItem, GATES, Stages } from "./support/stages.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const PIN = "correct horse 42";

/** The names of a form's fields. */
const fields = (form: Form) => Object.keys(form.requestedSchema?.properties ?? {});
const isPin = (field: string) => /pin/i.test(field);

/** A form with a code, and a PIN, where there are fields for them. */
const typed =
  (code: string, pin?: string) =>
  (form: Form): Filled => {
    const filled = fields(form).map((field) => [field, isPin(field) ? pin : code] as const);
    const content: { [name: string]: string } = {};
    for (const [field, value] of filled) if (value !== undefined) content[field] = value;
    return { action: "accept", content };
  };

/** Answers in the human's place that have no code in them. */
const EMPTY: { [name: string]: (form: Form) => Filled } = {
  "a client that declines": () => ({ action: "decline" }),
  "a client that cancels": () => ({ action: "cancel" }),
  "a client that accepts with nothing": () => ({ action: "accept", content: {} }),
  "a client that accepts without content": () => ({ action: "accept" }),
  "a client that invents consent": () => ({
    action: "accept",
    content: { approved: true, consent: "yes", decision: "approve", human: "I have read it, go on" },
  }),
};

/** A client that can elicit; what it answers can be changed. */
class Filler {
  fill: (form: Form) => Filled | Promise<Filled> = () => ({ action: "decline" });
  /** The forms that it was shown. */
  readonly forms: Form[] = [];
  readonly agent: Agent;
  readonly kind: Kind;

  private constructor(agent: Agent, kind: Kind) {
    this.agent = agent;
    this.kind = kind;
  }

  static async start(t: TestContext, kind: Kind, { dataDir }: Stages): Promise<Filler> {
    const answer: { filler?: Filler } = {};
    const fill = (form: Form) => {
      const { filler } = answer;
      assert.ok(filler);
      filler.forms.push(form);
      return filler.fill(form);
    };
    const filler = new Filler(await Agent.start(t, { kind, fill, dataDir, relay: relay.url }), kind);
    answer.filler = filler;
    return filler;
  }

  /** Calls the gate without a code, and answers the form so. */
  async decide(pending: PendingItem, fill: (form: Form) => Filled, args: Json = {}): Promise<Json> {
    this.fill = fill;
    const before = this.forms.length;
    const result = await this.agent.call("human_approve", { pending_id: pending.id, decision: "approve", ...args });
    assert.ok(this.forms.length > before, "no form was shown");
    return result;
  }

  /** The same, and it must fail, and nobody's bug. */
  async fails(stages: Stages, pending: PendingItem, fill: (form: Form) => Filled, name: string): Promise<string> {
    const result = await this.decide(pending, fill);
    assert.equal(result.ok, false, `${name}: ${JSON.stringify(result)}`);
    assert.notEqual(result.error.blame, "bug", `${name}: ${JSON.stringify(result)}`);
    await stages.assertOpen(pending.id, name);
    return result.error.code;
  }
}

/** A client that hangs, and gives up after a while. */
async function hang(stages: Stages, filler: Filler, pending: PendingItem): Promise<void> {
  const giveUp = new AbortController();
  filler.fill = () => {
    setImmediate(() => giveUp.abort());
    // The client of 2026 fills in forms by itself before it asks again, and waits for that even when it is given up.
    return new Promise((_, reject) => {
      if (filler.kind === "client-2026") giveUp.signal.addEventListener("abort", reject);
    });
  };
  const args = { pending_id: pending.id, decision: "approve" };
  await assert.rejects(filler.agent.call("human_approve", args, { signal: giveUp.signal }));
  // The server goes on for everybody else.
  await filler.agent.good("list_bonds");
  await stages.assertOpen(pending.id, "a client that hangs");
}

test("without the right code no client decides; with it typed in the form, it does", async (t) => {
  const stages = await Stages.start(t, relay.url);
  const lacking = await Agent.start(t, { dataDir: stages.dataDir, relay: relay.url });
  const fillers: Filler[] = [];
  for (const kind of KINDS) fillers.push(await Filler.start(t, kind, stages));

  for (const [index, gate] of GATES.entries()) {
    await t.test(gate, async () => {
      const pending = await stages.reach(gate);
      const { approve, reject, wrong } = codesOfItem(pending);
      const refused = await lacking.bad("human_approve", { pending_id: pending.id, decision: "approve" });
      assert.equal(refused.code, "self_approval_forbidden");
      await stages.assertOpen(pending.id, "a client that cannot elicit");

      for (const filler of fillers) {
        for (const [name, fill] of Object.entries(EMPTY)) await filler.fails(stages, pending, fill, name);
        await hang(stages, filler, pending);
      }
      // Of each kind of client once: a wrong code is counted, and five are too many.
      const filler = fillers[index] as Filler;
      assert.equal(await filler.fails(stages, pending, typed(wrong), "an invented code"), "invalid_approval_code");
      const told = { pending_id: pending.id, decision: "approve", approval_code: reject };
      assert.equal((await filler.agent.bad("human_approve", told)).code, "invalid_approval_code");
      await stages.assertOpen(pending.id, "the code to reject, said to approve");

      const result = await filler.decide(pending, typed(approve));
      assert.deepEqual([result.ok, result.decision], [true, "approve"], JSON.stringify(result));
      await stages.passed(gate);
      assert.equal(await stages.channelOf(pending.id), "elicitation");
      const form = filler.forms.at(-1) as Form;
      for (const code of [approve, reject]) assert.ok(!JSON.stringify(form).includes(code), "a form shows a code");
    });
  }
});

test("with a PIN, it takes the code and the PIN", async (t) => {
  const stages = await Stages.start(t, relay.url);
  await stages.bob.setPin(PIN);
  const plain = await Agent.start(t, { dataDir: stages.dataDir, relay: relay.url });
  for (const [index, gate] of GATES.entries()) {
    await t.test(gate, async (t) => {
      const pending = await stages.reach(gate);
      const { approve, wrong } = codesOfItem(pending);
      // The code alone, given to the agent, or with a PIN that no tool takes.
      const args = { pending_id: pending.id, decision: "approve", approval_code: approve };
      assert.equal((await plain.bad("human_approve", args)).code, "pin_required");
      await stages.assertOpen(pending.id, "the code alone");
      const smuggled = await plain.call("human_approve", { ...args, pin: PIN, reason: `pin ${PIN}` });
      assert.equal(smuggled.ok, false);
      await stages.assertOpen(pending.id, "a PIN as an argument");
      const without = await plain.bad("human_approve", { pending_id: pending.id, decision: "approve" });
      assert.equal(without.code, "pin_required");

      const filler = await Filler.start(t, KINDS[index] as Kind, stages);
      await filler.fails(stages, pending, typed(approve), "the code in the form, without the PIN");
      assert.ok(fields(filler.forms.at(-1) as Form).some(isPin), "the form does not ask for the PIN");
      await filler.fails(stages, pending, typed(approve, ""), "the code with an empty PIN");
      assert.equal(await filler.fails(stages, pending, typed(approve, "wrong horse 42"), "a wrong PIN"), "invalid_pin");
      await filler.fails(stages, pending, typed(wrong, PIN), "the PIN with a wrong code");
      for (const [name, fill] of Object.entries(EMPTY)) await filler.fails(stages, pending, fill, name);

      const result = await filler.decide(pending, typed(approve, PIN));
      assert.deepEqual([result.ok, result.decision], [true, "approve"], JSON.stringify(result));
      await stages.passed(gate);
      assert.equal(await stages.channelOf(pending.id), "elicitation");
    });
  }
});

test("the code to reject, typed in the form, rejects, whatever the agent says that its human said", async (t) => {
  for (const kind of KINDS) {
    const stages = await Stages.start(t, relay.url);
    const filler = await Filler.start(t, kind, stages);
    const pending = await stages.reach("join");
    const result = await filler.decide(pending, typed(codesOfItem(pending).reject), { decision: "approve" });
    assert.deepEqual([result.ok, result.decision], [true, "reject"], JSON.stringify(result));
    assert.deepEqual(await stages.bob.bonds(), []);
    assert.equal(await stages.channelOf(pending.id), "elicitation");
  }
});
