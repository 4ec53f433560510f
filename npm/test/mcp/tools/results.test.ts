import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BaseHost, safetyNumber, type Transaction, verifyReceipt } from "agentpair";
import { MemoryDisk, MemoryStore, QuestionList } from "agentpair/testing";
import { httpHandler } from "../../../dist/mcp/index.js";
import { openHost } from "../../support/hosts.ts";
import { Relay } from "../../support/relay.ts";
import { Desk, type Json } from "./support/server.ts";
import { decide, live, stands, terms, two } from "./support/two.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });
const offline = { relay: "http://127.0.0.1:9", network: false };

for (const era of ["2025", "2026"] as const) {
  test(`arguments that do not fit are an error of this server's shape: ${era}`, async (t) => {
    const desk = await Desk.open(t, await openHost(t, offline), { era });
    const wrong: [string, Json, RegExp][] = [
      ["send", {}, /to: .*; body: /],
      ["send", { to: "bob", body: "x", ttl: 1.5 }, /ttl: /],
      ["send", { to: "bob", body: "x", via_human: true }, /via_human/],
      ["inbox_wait", { timeout_ms: 45_001 }, /timeout_ms: .*45000/],
      ["session_msg", { thread: "t", type: "shout", body: "" }, /type: /],
      ["session_sign", { thread: "t", artifact_hash: "ABC" }, /artifact_hash: /],
      ["human_approve", { pending_id: "x", decision: "yes" }, /decision: /],
    ];
    for (const [tool, args, message] of wrong) {
      const error = await desk.bad(tool, args);
      assert.deepEqual([error.code, error.blame], ["invalid_argument", "caller"], tool);
      assert.match(error.message, message);
    }
    await assert.rejects(desk.client.callTool({ name: "approve", arguments: {} }, { timeout: 10_000 }));
  });
}

test("errors of the host keep their code and blame", async (t) => {
  const desk = await Desk.open(t, await openHost(t, offline));
  for (const [tool, args, code, blame] of [
    ["send", { to: "bob", body: "x" }, "bond_not_found", "policy"],
    ["safety_number", { peer: "bob" }, "bond_not_found", "policy"],
    ["revoke", { peer: "bob" }, "bond_not_found", "policy"],
    ["session_open", { to: "bob", goal: "x" }, "bond_not_found", "policy"],
    ["session_status", { thread: "x" }, "session_not_found", "policy"],
    ["receipt", { thread: "x" }, "session_not_found", "policy"],
    ["human_approve", { pending_id: "x" }, "pending_not_found", "policy"],
    ["pair_join", { code: "nonsense" }, "code_malformed", "policy"],
  ] as const) {
    const error = await desk.bad(tool, args);
    assert.deepEqual([error.code, error.blame], [code, blame], tool);
    assert.ok(error.message.length > 5, tool);
  }
});

test("a relay that is not there is told", async (t) => {
  const desk = await Desk.open(t, await openHost(t, { relay: "http://127.0.0.1:9" }));
  const error = await desk.bad("pair_init");
  assert.deepEqual([error.code, error.blame], ["relay_unreachable", "relay"]);
});

/** A store whose next step ends as a panic of the core does. */
class Panicking extends MemoryStore {
  isPanicking = false;

  override transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T> {
    return super.transact(since, (transaction) => {
      const result = work(transaction);
      if (this.isPanicking) throw new WebAssembly.RuntimeError("unreachable");
      return result;
    });
  }
}

test("a panic of the core, and a host that is closed, are errors of each call", async (t) => {
  const store = new Panicking(new MemoryDisk());
  const parts = { store, human: new QuestionList(), network: false, relay: relay.url, safetyNumber };
  const host = await BaseHost.start({ ...parts, onProblem: () => {} });
  t.after(() => host.close());
  const desk = await Desk.open(t, host);
  const logs = t.mock.method(console, "error", () => {});
  await desk.good("list_bonds");
  store.isPanicking = true;
  for (const tool of ["pair_init", "list_bonds", "inbox", "inbox_wait", "audit_export"]) {
    const result = await desk.call(tool);
    assert.deepEqual([result.error.code, result.error.blame], ["panicked", "bug"], tool);
    assert.match(result.suggested_next, /restarted/, tool);
  }
  assert.match(String(logs.mock.calls.at(-1)?.arguments), /^agentpair: audit_export failed: panicked$/);
  const other = await openHost(t, offline);
  const closed = await Desk.open(t, other);
  await other.close();
  assert.equal((await closed.bad("list_bonds")).code, "host_closed");
});

test("at most 16 questions are shown, the most urgent ones first, and the others counted", async (t) => {
  const { alice, bob, desk, other } = await two(t, relay.url);
  for (let n = 0; n < 16; n++) await alice.openSession("bob", terms(`goal ${n}`));
  const all = async () => ((await bob.pendings()).length === 16 ? true : undefined);
  await bob.until(all, "16 questions", { timeoutMs: 60_000 });
  await bob.verify("alice");
  const { waiting, more_waiting, suggested_next } = await other.good("list_bonds");
  assert.equal(waiting.length + more_waiting, 17);
  assert.ok(waiting.length <= 16);
  assert.match(suggested_next, /17 questions wait for your human: ask them to run `agentpair approve`/);
  const times = waiting.map(({ expires_at }: Json) => expires_at);
  assert.deepEqual(times, [...times].sort());
  assert.deepEqual((await desk.good("list_bonds")).waiting, []);
  const contents = await resource(other, "agentpair://approvals");
  assert.deepEqual(contents, { waiting, more_waiting });
});

test("resources say what the tools say", async (t) => {
  const bonded = await two(t, relay.url);
  const { alice, desk } = bonded;
  const thread = await live(bonded);
  assert.deepEqual((await resource(desk, "agentpair://bonds")).bonds, (await desk.good("list_bonds")).bonds);
  const { sessions } = await desk.good("session_status");
  assert.deepEqual((await resource(desk, "agentpair://sessions")).sessions, sessions);
  const uri = `agentpair://session/bob/${thread}`;
  const status = await desk.good("session_status", { thread });
  const { ok, waiting, suggested_next, ...shown } = status;
  assert.deepEqual([ok, waiting, suggested_next], [true, [], status.session.suggested_next]);
  assert.deepEqual(await resource(desk, uri), shown);
  const { resources } = await desk.client.listResources();
  assert.ok(resources.some((each) => each.uri === uri));
  await assert.rejects(desk.client.readResource({ uri: "agentpair://session/bob/nothing" }), /not found/i);
  // A petname with signs of its own is one part of the address.
  await alice.rename("bob", "bob/é ?");
  const renamed = (await desk.client.listResources()).resources.find(({ name }) => name.includes(thread));
  assert.equal((await resource(desk, renamed?.uri)).session.peer, "bob/é ?");
});

async function resource(desk: Desk, uri: string): Promise<Json> {
  const { contents } = await desk.client.readResource({ uri });
  assert.equal(contents.length, 1);
  assert.equal(contents[0]?.mimeType, "application/json");
  return JSON.parse(contents[0]?.text);
}

test("prompts take their arguments as data", async (t) => {
  const { client } = await Desk.open(t, await openHost(t, offline));
  const text = async (name: string, args: { [name: string]: string } = {}) =>
    (await client.getPrompt({ name, arguments: args })).messages[0]?.content.text;
  assert.match(await text("pair"), /pair_init and show me the code/);
  assert.match(await text("pair", { name: "bob" }), /pair_init with petname "bob"/);
  assert.match(
    await text("pair", { name: 'b"ob', code: "7-a-b-c" }),
    /pair_join with code "7-a-b-c" and petname "b\\"ob"/,
  );
  assert.match(
    await text("review_offer", { thread: "t", peer: "bob" }),
    /session_status with thread "t" and peer "bob"/,
  );
});

test("the audit log comes in pages, as it is hashed, with a signed head", async (t) => {
  const bonded = await two(t, relay.url);
  const { alice, desk } = bonded;
  await live(bonded);
  const records: Json[] = [];
  let pages = 0;
  let head: Json = {};
  for (let since: number | undefined = 0; since !== undefined; pages++) {
    const page: Json = await desk.good("audit_export", { since, limit: 5 });
    records.push(...page.records);
    ({ next_since: since, head } = page);
  }
  assert.ok(pages > 2);
  assert.deepEqual(records, (await alice.audit({ limit: 1_000 })).slice(0, records.length));
  assert.deepEqual([head.n, head.hash], [records.at(-1)?.n, records.at(-1)?.hash]);
  const signed = await alice.auditHead();
  assert.deepEqual([head.n, head.hash, head.agentId], [signed.n, signed.hash, signed.agentId]);
});

test("a receipt that is longer than a page is put together from its pages", async (t) => {
  const bonded = await two(t, relay.url);
  const { alice, bob, desk, other } = bonded;
  const thread = await live(bonded);
  const text = Array.from({ length: 1_500 }, (_, n) => `${n} \u202e"größer" 🙂\u200b\n`).join("");
  const deliverable = { kind: "text", media_type: "text/plain", name: "long.txt", text } as const;
  const { sha256 } = await alice.turn("bob", thread, "propose", "", deliverable);
  await stands(bob, "alice", thread, ({ yourTurn }) => yourTurn);
  await other.good("session_sign", { thread, artifact_hash: sha256 });
  await stands(alice, "bob", thread, ({ signedByPeer }) => signedByPeer !== undefined);
  await desk.good("session_sign", { thread, artifact_hash: sha256 });
  await decide(other, bob, "ratify");
  await decide(desk, alice, "ratify");
  await stands(bob, "alice", thread, ({ hasReceipt }) => hasReceipt);
  let receipt = "";
  let pages = 0;
  for (let offset: number | undefined = 0; offset !== undefined; pages++) {
    const page: Json = await other.good("receipt", { thread, offset });
    assert.doesNotMatch(page.receipt.replaceAll("\n", ""), /[\p{C}\p{Zl}\p{Zp}]/u);
    receipt += page.receipt;
    offset = page.next_offset;
  }
  assert.ok(pages > 2, `${pages} pages`);
  assert.deepEqual(JSON.parse(receipt), JSON.parse((await bob.receipt("alice", thread)) ?? ""));
  assert.equal(verifyReceipt(receipt).sha256, sha256);
});

test("pages of other hosts cannot reach the HTTP server", async (t) => {
  const handle = httpHandler(await openHost(t, offline));
  const post = (headers: { [name: string]: string }) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const accept = "application/json, text/event-stream";
    const all = { "content-type": "application/json", accept, ...headers };
    return handle(new Request("http://localhost/mcp", { method: "POST", headers: all, body }));
  };
  assert.equal((await post({})).status, 200);
  assert.equal((await post({ host: "127.0.0.1:8080", origin: "http://localhost:3000" })).status, 200);
  assert.equal((await post({ host: "evil.example" })).status, 403);
  assert.equal((await post({ origin: "https://evil.example" })).status, 403);
});
