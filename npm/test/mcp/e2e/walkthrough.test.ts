import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { codesIn } from "../../support/human.ts";
import { Relay } from "../../support/relay.ts";
import { scratch } from "../../support/scratch.ts";
import { Agent, type Json } from "./support/agent.ts";
import { KINDS, type Kind } from "./support/clients.ts";
import { walk } from "./support/walk.ts";
import { Wire } from "./support/wire.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

/** The tools that the contract names. */
const TOOLS = [
  "artifact_put",
  "atest_run",
  "audit_export",
  "close",
  "human_approve",
  "inbox",
  "inbox_wait",
  "list_bonds",
  "pair_init",
  "pair_init_complete",
  "pair_join",
  "receipt",
  "revoke",
  "safety_number",
  "send",
  "session_extend_budget",
  "session_msg",
  "session_open",
  "session_sign",
  "session_status",
];

/** What each kind of client speaks with this server. */
const SPOKEN: { [kind in Kind]: string } = { client: "2025-11-25", "client-2026": "2026-07-28", sdk: "2025-11-25" };

for (const kind of KINDS) {
  test(`two agents pair, talk, agree and part through the tools: ${kind}`, async (t) => {
    const start = () => Agent.start(t, { kind, dataDir: join(scratch(), "data"), relay: relay.url });
    const [alice, bob] = await Promise.all([start(), start()]);
    assert.deepEqual(alice.tools.map(({ name }) => name).sort(), TOOLS);
    await walk(alice, bob);
    for (const tool of TOOLS) assert.ok(alice.called.has(tool) || bob.called.has(tool), `${tool} was never called`);
    assert.ok(speaks(alice, SPOKEN[kind]), `it does not speak ${SPOKEN[kind]}`);
    for (const { wire } of [alice, bob]) {
      await wire.end();
      assert.deepEqual(wire.stray, []);
      assert.equal(wire.errors, "");
      assert.ok(wire.received.length > 20);
    }
  });
}

/** Whether the messages are those of that revision. */
function speaks({ wire, client }: Agent, revision: string): boolean {
  const legacy = wire.received.find(({ result }) => typeof result?.protocolVersion === "string")?.result;
  if (legacy) return legacy.protocolVersion === revision;
  return (client as unknown as { getNegotiatedProtocolVersion(): string }).getNegotiatedProtocolVersion() === revision;
}

test("resources, prompts and instructions say the same, and no code", async (t) => {
  const start = (label: string) =>
    Agent.start(t, { dataDir: join(scratch(), label), relay: relay.url, kind: "client-2026" });
  const [alice, bob] = await Promise.all([start("alice"), start("bob")]);
  const { code, pairing } = await alice.good("pair_init", { petname: "bob" });
  const { pending_id } = await bob.good("pair_join", { code, petname: "alice" });
  const [asked] = await bob.waiting();
  const codes = codesIn(asked?.approval_path ?? "");

  const approvals = await resource(bob, "agentpair://approvals");
  assert.ok(approvals.includes(pending_id), approvals);
  await bob.decide("join");
  await alice.good("pair_init_complete", { pairing });
  const { session } = await alice.good("session_open", { to: "bob", goal: "Anything" });
  await bob.question("open");
  assert.ok((await resource(alice, "agentpair://bonds")).includes("bob"));
  assert.ok((await resource(alice, "agentpair://sessions")).includes(session.thread));
  assert.ok((await resource(alice, `agentpair://session/bob/${session.thread}`)).includes("Anything"));
  const { resources } = await alice.client.listResources();
  for (const uri of ["agentpair://bonds", "agentpair://sessions", "agentpair://approvals"]) {
    assert.ok(
      resources.some((resource) => resource.uri === uri),
      `${uri} is not listed`,
    );
  }

  const { prompts } = await alice.client.listPrompts();
  assert.deepEqual(prompts.map(({ name }) => name).sort(), ["pair", "review_offer"]);
  for (const { name, arguments: wanted = [] } of prompts) {
    const values: Json = { thread: session.thread, peer: "bob", code: "1-a-b-c" };
    const given = Object.fromEntries(wanted.map(({ name }) => [name, values[name] ?? ""]));
    const { messages } = await alice.client.getPrompt({ name, arguments: given });
    assert.ok(messages.length > 0);
  }
  const instructions = alice.client.getInstructions() ?? "";
  assert.ok(instructions.length > 100 && instructions.length < 1_000, `${instructions.length} characters`);
  assert.equal(alice.client.getServerVersion()?.name, "agentpair");

  const all = JSON.stringify([...alice.wire.received, ...bob.wire.received]) + alice.wire.errors + bob.wire.errors;
  for (const secret of [codes.approve, codes.reject]) {
    assert.match(secret, /^\d{6}$/);
    assert.doesNotMatch(all, new RegExp(`(?<![\\w-])${secret}(?![\\w-])`));
  }
});

async function resource(agent: Agent, uri: string): Promise<string> {
  return JSON.stringify((await agent.client.readResource({ uri })).contents);
}

test("what the tools say of themselves fits, and puts safety first", async (t) => {
  const agent = await Agent.start(t, { dataDir: join(scratch(), "data"), relay: relay.url });
  for (const { name, description = "", annotations = {} } of agent.tools) {
    assert.ok(description.length > 40 && description.length < 2_048, `${name}: ${description.length} characters`);
    for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
      assert.equal(typeof (annotations as Json)[hint], "boolean", `${name} lacks ${hint}`);
    }
  }
});

test("a server whose client says nothing ends with its input, and nothing is left open", async (t) => {
  const wire = new Wire(t, { dataDir: join(scratch(), "data"), relay: relay.url });
  await wire.start();
  await wire.end();
  assert.deepEqual([wire.received, wire.stray, wire.errors], [[], [], ""]);
});

test("input that is no JSON-RPC is answered by JSON-RPC or by nothing", async (t) => {
  const agent = await Agent.start(t, { dataDir: join(scratch(), "data"), relay: relay.url });
  for (const text of [
    "\n",
    "hello\n",
    "{\n",
    '{"jsonrpc":"2.0"}\n',
    "[]\n",
    "\u0000\u001b[2J\n",
    '{"jsonrpc":"1.0","id":1,"method":"x"}\n',
  ]) {
    agent.wire.write(text);
  }
  agent.wire.write(
    '{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{"name":"no_such_tool","arguments":{}}}\n',
  );
  const { bonds } = await agent.good("list_bonds");
  assert.deepEqual(bonds, []);
  assert.deepEqual(agent.wire.stray, []);
});
