import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { BaseHost } from "agentpair";
import { codesOf } from "../../support/human.ts";
import { Relay } from "../../support/relay.ts";
import { Desk, type Fill, type Form, type Json } from "./support/server.ts";
import { two } from "./support/two.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const ERAS = ["2025", "2026"] as const;
const PIN = "correct horse 42";

/** What the human types. */
const typed =
  (content: { [name: string]: string }): Fill =>
  () => ({ action: "accept", content });

/** A question of Bob's host, its codes, and a way to see that nothing decided it. */
async function question(bob: BaseHost) {
  const id = await bob.verify("alice");
  const codes = await codesOf(bob, id);
  const wrong = ["111111", "222222", "333333"].find((code) => code !== codes.approve && code !== codes.reject) ?? "";
  const isOpen = async () => (await bob.pendings()).some((item) => item.id === id);
  return { id, ...codes, wrong, isOpen };
}

/** How the decision of a question came, by the audit log. */
async function channelOf(host: BaseHost, pending: string): Promise<string | undefined> {
  for (const { act, facts = [] } of await host.audit({ limit: 10_000 })) {
    const has = new Map(facts);
    if (act === "human_decided" && has.get("pending") === pending) return has.get("channel");
  }
  return undefined;
}

/** A client whose human answers with what is set. */
async function filling(t: TestContext, bob: BaseHost, era: (typeof ERAS)[number], formMs = 60_000) {
  const human: { fill: Fill; forms: Form[] } = { fill: () => ({ action: "decline" }), forms: [] };
  const fill: Fill = (form) => {
    human.forms.push(form);
    return human.fill(form);
  };
  return { human, desk: await Desk.open(t, bob, { era, fill, times: { formMs } }) };
}

for (const era of ERAS) {
  test(`nothing but a code decides: ${era}`, async (t) => {
    const { bob, other } = await two(t, relay.url);
    const { human, desk } = await filling(t, bob, era);
    const { id, approve, wrong, isOpen, text } = await question(bob);
    const empty: { [name: string]: Fill } = {
      decline: () => ({ action: "decline" }),
      cancel: () => ({ action: "cancel" }),
      nothing: typed({}),
      "no content": () => ({ action: "accept" }),
      "an empty code": typed({ code: " " }),
      consent: typed({ approved: "yes", decision: "approve", consent: "I have read it" }),
    };
    for (const [name, fill] of Object.entries(empty)) {
      human.fill = fill;
      const result = await desk.call("human_approve", { pending_id: id, decision: "approve" });
      assert.equal(result.error?.code, "not_decided", name);
      assert.equal(result.waiting[0].pending_id, id, name);
      assert.ok(await isOpen(), name);
    }
    human.fill = typed({ code: wrong });
    assert.equal((await desk.bad("human_approve", { pending_id: id })).code, "invalid_approval_code");
    human.fill = typed({ code: "12345" });
    assert.match((await desk.bad("human_approve", { pending_id: id })).message, /no attempt was used/);
    assert.ok(await isOpen());
    assert.equal((await other.bad("human_approve", { pending_id: id })).code, "self_approval_forbidden");

    human.fill = typed({ code: ` ${approve.slice(0, 3)} ${approve.slice(3)} ` });
    const result = await desk.good("human_approve", { pending_id: id });
    assert.deepEqual([result.pending_id, result.kind, result.decision], [id, "verify", "approve"]);
    assert.equal(await channelOf(bob, id), "elicitation");
    // The form names the question and where the codes are, and never a code.
    const form = human.forms.at(-1) as Json;
    assert.match(form.message, /Does alice see the same safety number/);
    assert.deepEqual(Object.keys(form.requestedSchema.properties), ["code"]);
    for (const code of text.match(/\d{6}$/gm) ?? []) assert.doesNotMatch(form.message, new RegExp(`\\b${code}\\b`));
    assert.equal((await desk.bad("human_approve", { pending_id: id })).code, "pending_not_found");
  });

  test(`the human's code is the decision, whatever the agent said: ${era}`, async (t) => {
    const { bob } = await two(t, relay.url);
    const { human, desk } = await filling(t, bob, era);
    const { id, reject } = await question(bob);
    human.fill = typed({ code: reject });
    const result = await desk.good("human_approve", { pending_id: id, decision: "approve" });
    assert.equal(result.decision, "reject");
    assert.equal(await channelOf(bob, id), "elicitation");
  });

  test(`with a PIN the human types code and PIN: ${era}`, async (t) => {
    const { bob, other } = await two(t, relay.url);
    await bob.setPin(PIN);
    const { human, desk } = await filling(t, bob, era);
    const { id, approve, isOpen } = await question(bob);
    assert.equal((await other.bad("human_approve", { pending_id: id })).code, "pin_required");
    const args = { pending_id: id, decision: "approve", approval_code: approve };
    assert.equal((await other.bad("human_approve", args)).code, "pin_required");
    assert.equal((await other.bad("human_approve", { ...args, pin: PIN })).code, "invalid_argument");
    // The code of an agent opens a form for both.
    human.fill = typed({ code: approve });
    assert.equal((await desk.bad("human_approve", args)).code, "pin_required");
    assert.deepEqual(Object.keys((human.forms.at(-1) as Json).requestedSchema.properties), ["code", "pin"]);
    human.fill = typed({ pin: PIN });
    assert.equal((await desk.bad("human_approve", args)).code, "not_decided");
    human.fill = typed({ code: approve, pin: "wrong horse 42" });
    assert.equal((await desk.bad("human_approve", args)).code, "invalid_pin");
    assert.ok(await isOpen());
    human.fill = typed({ code: approve, pin: PIN });
    assert.equal((await desk.good("human_approve", { pending_id: id })).decision, "approve");
  });
}

test("a code that the agent was given goes the way of the file, and must be the one for the decision", async (t) => {
  const { bob, other } = await two(t, relay.url);
  const { id, approve, reject, isOpen } = await question(bob);
  const error = await other.bad("human_approve", { pending_id: id, decision: "approve", approval_code: reject });
  assert.equal(error.code, "invalid_approval_code");
  assert.ok(await isOpen());
  await other.good("human_approve", { pending_id: id, decision: "approve", approval_code: approve });
  assert.equal(await channelOf(bob, id), "file");
});

test("a form that nobody answers ends, and decides nothing", async (t) => {
  const { bob } = await two(t, relay.url);
  const { human, desk } = await filling(t, bob, "2025", 300);
  const { id, isOpen } = await question(bob);
  human.fill = () => new Promise(() => {});
  assert.equal((await desk.bad("human_approve", { pending_id: id })).code, "not_decided");
  human.fill = () => {
    throw new Error("no window");
  };
  assert.equal((await desk.bad("human_approve", { pending_id: id })).code, "not_decided");
  assert.ok(await isOpen());
});

for (const era of ERAS) {
  test(`a form that is given up decides nothing: ${era}`, async (t) => {
    const { bob } = await two(t, relay.url);
    const { human, desk } = await filling(t, bob, era);
    const { id, approve, isOpen } = await question(bob);
    const giveUp = new AbortController();
    human.fill = () => {
      setImmediate(() => giveUp.abort(new Error("enough")));
      // A client of 2026 waits for its own form: the server has answered already.
      return new Promise((_, reject) => giveUp.signal.addEventListener("abort", () => reject(giveUp.signal.reason)));
    };
    await assert.rejects(desk.call("human_approve", { pending_id: id }, { signal: giveUp.signal }));
    await desk.good("list_bonds");
    assert.ok(await isOpen());
    human.fill = typed({ code: approve });
    await desk.good("human_approve", { pending_id: id });
  });

  test(`only a client that has forms is asked for one: ${era}`, async (t) => {
    const { bob } = await two(t, relay.url);
    const { id, approve, isOpen } = await question(bob);
    const fill = typed({ code: approve });
    const urls = await Desk.open(t, bob, { era, fill, elicitation: { url: {} } });
    assert.equal((await urls.bad("human_approve", { pending_id: id })).code, "self_approval_forbidden");
    assert.ok(await isOpen());
    const forms = await Desk.open(t, bob, { era, fill, elicitation: { form: {}, url: {} } });
    await forms.good("human_approve", { pending_id: id });
  });
}
