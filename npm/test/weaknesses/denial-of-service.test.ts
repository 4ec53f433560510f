// Denial of service and growth, on the side of the host: W41 and W44 to W49 of docs/weaknesses.md. The relay's own
// limits are in ./relay.test.mjs.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { Host, Open } from "agentpair";
import { keysUnder, record } from "../mcp/e2e/support/database.ts";
import { Desk, type Json } from "../mcp/tools/support/server.ts";
import { messages, openHost, openTwo, pair, received } from "../support/hosts.ts";
import { approveNext } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { eventsOf, heard, said } from "./support/feeds.ts";
import { type Asked, HostileRelay } from "./support/hostile-relay.ts";
import { mallory } from "./support/mallory.ts";
import { type Place, Spiller } from "./support/spill.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const terms = (more: Partial<Open> = {}): Open => ({
  goal: "Fix the price of one hour",
  acceptance: [],
  budget: { max_turns: 20, deadline: new Date(Date.now() + 3_600_000).toISOString() },
  mandate: { agent_may: [], human_required: ["ratify"] },
  ...more,
});

/** How often a host has refused something that anybody could have sent: all that it keeps of it. */
function counted(host: Host, bond: string, code: string): number {
  const keys = keysUnder(host.dataDir, `rejected/${bond}/${code}/`);
  return keys.reduce((sum, key) => sum + JSON.parse(record(host.dataDir, key) ?? '{"count":0}').count, 0);
}

/** Bytes of all records of a host, which it has in memory too. */
function bytesOf({ dataDir }: Host): number {
  const database = new DatabaseSync(join(dataDir, "agentpair.db"), { readOnly: true });
  const { bytes } = database.prepare("SELECT sum(length(value)) AS bytes FROM records").get() ?? {};
  database.close();
  return Number(bytes);
}

/** Names that every object of JavaScript knows, and ours that are reserved. */
const POISON = [
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__proto__",
  "__defineGetter__",
  "then",
  "ack",
  "bond",
  "0",
  "a/b",
  "../x",
];

test("W41_poison_names_and_turns_stop_nothing: each envelope has its own outcome, once", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const { pen, back } = await mallory(t, bob, hostile.url);
  const bodies: string[] = [];
  for (const thread of POISON) {
    await pen.write("core.msg", thread, { body: `on ${thread}`, kind: thread });
    await pen.write("core.close", thread, { reason: thread });
    await pen.write("core.close", `closed only ${thread}`, {});
    await pen.write("core.msg", thread, { body: "after its end" });
    await pen.write("core.ack", "ack", { ack_seq: 1, acked: [thread], refused: [{ id: thread, code: thread }] });
    bodies.push(`on ${thread}`);
  }
  // What no parser may stumble over, in the middle of it all.
  for (const junk of ["5", "null", "[]", "{}", '""', '{"v":1}', '{"v":1,"from":"a","to":"b","blob":"e30","sig":"AA"}'])
    hostile.deliver(back.own, junk);
  await pen.write("core.msg", "t", { body: "between" });
  bodies.push("between");

  // A turn whose body is no object.
  await pen.write("nego.open", "valueOf", terms());
  await approveNext(bob, "open");
  await heard(bob, "session", ({ cause }) => cause === "approved");
  const odd = ["5", "null", "[]", '"x"', "{}", '{"section_id":5}', '{"__proto__":null}', ""];
  for (const body of odd) await pen.write("nego.turn", "valueOf", { msg_type: "accept", body });
  for (const body of [5, null, [], {}]) await pen.write("nego.turn", "valueOf", { msg_type: "accept", body });
  await pen.write("core.msg", "t", { body: "last" });
  bodies.push("last");
  await heard(bob, "message", ({ body }) => body === "last");
  assert.deepEqual(await messages(bob), bodies);
  const turns = await bob.turns(back.id, "valueOf");
  // An absent body is an empty one; `null` is read as absent.
  assert.deepEqual(
    turns.map(({ body }) => body),
    [...odd, ""],
  );
  const closed = (await eventsOf(bob, "thread_closed")).map(({ thread }) => thread);
  assert.deepEqual(
    closed,
    POISON.flatMap((thread) => [thread, `closed only ${thread}`]),
  );
  const refused = (await eventsOf(bob, "refused")).map(({ code }) => code);
  assert.deepEqual(refused, [...POISON.map(() => "thread_closed"), ...Array(3).fill("invalid_payload")]);

  // All of it again, from the beginning: nothing is shown twice, and nothing is forgotten.
  hostile.endStreams();
  await pen.write("core.msg", "t", { body: "and on" });
  await heard(bob, "message", ({ body }) => body === "and on");
  assert.deepEqual(await messages(bob), [...bodies, "and on"]);
  assert.equal((await bob.turns(back.id, "valueOf")).length, odd.length + 1);

  // The tools and the owner can go on with every one of these names.
  const desk = await Desk.open(t, bob);
  for (const thread of POISON) {
    const { ok, error } = await desk.call("session_status", { thread });
    assert.ok(ok || error.code === "session_not_found", JSON.stringify(error));
    await assert.rejects(bob.send(back.id, "x", { thread }), (error: { code: string }) => {
      assert.ok(["thread_closed", "invalid_argument"].includes(error.code), `${thread}: ${error.code}`);
      return true;
    });
  }
  let items: Json[] = [];
  for (let since = 0, more = true; more; ) {
    const page: Json = await desk.good("inbox", { since, include_history: since === 0, limit: 50 });
    items = [...items, ...page.items];
    ({ next_since: since, more } = page as { next_since: number; more: boolean });
  }
  assert.deepEqual(
    items.flatMap(({ body }) => (body ? [body.data] : [])),
    [...bodies, "and on"],
  );
});

test("W44_no_busy_polling_while_pairing: a relay that holds no read and takes no write is asked at leisure", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const [host, joiner] = await openTwo(t, hostile.url);
  const reads: number[] = [];
  // Nobody has claimed it; then somebody has, and never says a word.
  const answers = [404, 404, 404, 304, 304, 304];
  const isRead = ({ method, path }: Asked) => method === "GET" && path.startsWith("/pair/");
  hostile.instead = (asked) => {
    if (!isRead(asked)) return undefined;
    reads.push(Date.now());
    return { status: answers[reads.length - 1] ?? 304, body: '{"error":"pair_not_found"}' };
  };
  const { pairing } = await host.invite({ timeoutMs: 30_000 });
  await hostile.until(isRead, 7);
  await host.cancel(pairing);
  const pauses = (at: number[]) => at.slice(1).map((time, n) => time - (at[n] ?? 0));
  const between = pauses(reads.slice(0, 7));
  assert.ok(
    between.slice(0, 3).every((ms) => ms >= 900),
    `${between}`,
  );
  assert.ok(
    between.every((ms) => ms >= 200),
    `${between}`,
  );

  // A slot that is said to be another than the one that was read, again and again.
  const writes: number[] = [];
  const isWrite = ({ method, path }: Asked) => method === "POST" && path.startsWith("/pair/");
  hostile.instead = (asked) => {
    if (!isWrite(asked)) return undefined;
    writes.push(Date.now());
    return { status: 412, body: '{"error":"pair_slot_changed"}' };
  };
  const { code } = await host.invite({ timeoutMs: 30_000 });
  const joining = await joiner.join(code);
  await hostile.until(isWrite, 5);
  await joiner.cancel(joining);
  assert.ok(
    pauses(writes.slice(0, 5)).every((ms) => ms >= 200),
    `${pauses(writes)}`,
  );
});

test("W45_a_relay_that_stalls_holds_up_nobody: waits end in time, and what was stuck is tried again", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const { alice, bob, bond } = await pair(...(await openTwo(t, hostile.url)));
  const desk = await Desk.open(t, alice);
  await desk.good("inbox");
  // Not a word, or one that never ends.
  hostile.instead = ({ method }) => (method === "POST" ? "dripping" : "silence");
  hostile.endStreams();
  const begun = Date.now();
  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    const result = await work;
    assert.ok(Date.now() - begun < ms, `${Date.now() - begun} ms`);
    return result;
  };
  const [waited, sent, failed] = await Promise.all([
    within(8_000, desk.good("inbox_wait", { timeout_ms: 2_000 })),
    within(8_000, desk.good("send", { to: "bob", body: "stuck", thread: "t" })),
    within(
      16_000,
      alice.invite({ timeoutMs: 3_000 }).catch((error) => error),
    ),
  ]);
  assert.deepEqual([waited.timed_out, sent.delivery, failed.code], [true, "queued", "relay_unreachable"]);
  // The connections stay as they are: each request has to end by itself.
  await heard(alice, "relay_trouble", ({ code }) => code === "no_answer", 30_000);
  hostile.instead = undefined;
  assert.deepEqual(await received(bob, 1, 45_000), ["stuck"]);
  assert.equal((await alice.bond(bond.id)).status, "active");
});

test("W46_size_is_judged_before_any_parse: an envelope of a byte too many is counted, and no more", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const { pen, back } = await mallory(t, bob, hostile.url);
  hostile.isHolding = true;
  const padded = async (body: string, size: number) => {
    await pen.write("core.msg", "t", { body });
    const wire = hostile.mail.at(-1)?.wire ?? "";
    return `${wire.slice(0, -1)},"x":"${"-".repeat(size - wire.length - 7)}"}`;
  };
  const fits = await padded("fits", 65_536);
  const larger = await padded("one byte too many", 65_537);
  const last = await padded("last", 1_000 + 1_000);
  assert.deepEqual([fits.length, larger.length], [65_536, 65_537]);
  for (const wire of [fits, larger]) hostile.deliver(back.own, wire);
  // Large and no JSON in it: had it been parsed first, it would be counted as something else.
  hostile.deliver(back.own, `"${"x".repeat(65_536)}"`);
  hostile.deliver(back.own, `[${"[".repeat(50)}${`"${"y".repeat(65_600)}"`}${"]".repeat(51)}`);
  hostile.deliver(back.own, last);
  await heard(bob, "message", ({ body }) => body === "last");
  assert.deepEqual(await messages(bob), ["fits", "last"]);
  assert.equal(counted(bob, back.id, "envelope_too_large"), 3);
  assert.equal(counted(bob, back.id, "invalid_json"), 0);
  assert.deepEqual(await eventsOf(bob, "refused"), []);
});

test("W47_nothing_is_fetched_for_what_is_refused, and one at a time for what is not", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const peer = await mallory(t, bob, hostile.url, "mallory", { scope: ["message"] });
  const spiller = new Spiller(peer);
  let flying = 0;
  hostile.instead = ({ path }) => {
    if (!path.startsWith("/artifact/")) return undefined;
    flying += 1;
    return "silence";
  };
  const send = (place: Place, payload: object, lie?: object) => {
    const { wire, hash, sealed } = spiller.spill(place, payload, lie);
    hostile.artifacts.set(hash, sealed);
    hostile.deliver(peer.back.own, wire);
  };
  // Refused for its type, its profile, the scope of the bond, its form or its size.
  const refusals: [Place["type"], object, string][] = [
    ["core.nothing", {}, "unsupported_envelope_type"],
    ["atest.report", {}, "profile_not_supported"],
    ["nego.open", {}, "scope_not_granted"],
    ["nego.turn", {}, "scope_not_granted"],
    ["core.msg", { size: 10_485_761 }, "artifact_too_large"],
    ["core.msg", { size: Number.MAX_SAFE_INTEGER }, "artifact_too_large"],
    ["core.msg", { size: -1 }, "invalid_payload"],
    ["core.msg", { artifact_hash: "../../../etc/passwd" }, "invalid_payload"],
    ["core.msg", { artifact_hash: "0".repeat(63) }, "invalid_payload"],
    ["core.msg", { spill: 2 }, "invalid_payload"],
    ["core.msg", { more: 1 }, "invalid_payload"],
  ];
  for (const [n, [type, lie]] of refusals.entries()) send({ type, thread: `r${n}`, seq: 1 }, { body: "x" }, lie);
  await bob.until(async () => (await eventsOf(bob, "refused")).length >= refusals.length || undefined, "the refusals", {
    timeoutMs: 60_000,
  });
  const codes = (await eventsOf(bob, "refused")).map(({ code }) => code);
  assert.deepEqual(
    codes,
    refusals.map(([, , code]) => code),
  );
  assert.equal(flying, 0);

  // What may come waits; a thread and a bond have room for so many, and one fetch is out.
  for (let seq = 1; seq <= 70; seq++) send({ type: "core.msg", thread: "long", seq }, { body: `long ${seq}` });
  for (let n = 0; n < 200; n++) send({ type: "core.msg", thread: `t${n}`, seq: 1 }, { body: `t${n}` });
  const say = async (body: string, seq: number) => {
    const [place, id] = [{ type: "core.msg", thread: "plain", seq }, randomUUID()];
    hostile.deliver(peer.back.own, spiller.seal(place, spiller.whole(place, { body }, id), id));
    await heard(bob, "message", (event) => event.body === body);
  };
  await say("not held up", 1);
  await hostile.until(({ path }) => path.startsWith("/artifact/"));
  await say("nor here", 2);
  assert.equal(flying, 1);
  const stalled = (await eventsOf(bob, "refused")).filter(({ code }) => code === "thread_stalled");
  assert.deepEqual(
    [stalled.filter(({ thread }) => thread === "long").length, stalled.length],
    [6, 6 + 200 - (256 - 64)],
  );
  assert.equal(keysUnder(bob.dataDir, "parked/").length, 256);

  // The bytes that were promised, and not more.
  let generous = true;
  hostile.instead = ({ path }) => {
    const sealed = hostile.artifacts.get(path.split("/")[2] ?? "");
    if (!sealed || !generous) return undefined;
    generous = false;
    return { status: 200, body: Buffer.concat([sealed, Buffer.alloc(64 * 1024 * 1024)]) };
  };
  hostile.hangUp();
  assert.equal((await received(bob, 258, 120_000)).length, 258);
  assert.deepEqual(
    await said(bob, "long"),
    Array.from({ length: 64 }, (_, n) => `long ${n + 1}`),
  );
});

test("W47_openings_and_turns_cannot_fill_the_host: what nobody let in leaves little behind", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const peer = await mallory(t, bob, hostile.url);
  const spiller = new Spiller(peer);
  const mib = (count: number) => "x".repeat(count * 1024 * 1024 - 1_000);
  const send = (place: Place, payload: object) => {
    const { wire, hash, sealed } = spiller.spill(place, payload);
    hostile.artifacts.set(hash, sealed);
    hostile.deliver(peer.back.own, wire);
  };
  for (const n of [1, 2, 3]) {
    // It is over before anybody was asked.
    const deadline = new Date(Date.now() - 1_000).toISOString();
    const open = terms({ goal: mib(10), budget: { max_turns: 4, deadline } });
    send({ type: "nego.open", thread: `o${n}`, seq: 1 }, open);
  }
  // In a session that was let in, words count like deliverables, and names are short.
  await peer.pen.write("nego.open", "s", terms());
  await approveNext(bob, "open");
  await heard(bob, "session", ({ cause }) => cause === "approved");
  const first = 200_000;
  for (const [n, turn] of [
    { msg_type: "propose", body: mib(9) },
    { msg_type: "propose", body: mib(9) },
    { msg_type: mib(1), body: "" },
  ].entries()) {
    send({ type: "nego.turn", thread: "s", seq: first + n }, turn);
  }
  send({ type: "core.close", thread: "s", seq: first + 9 }, { reason: mib(1) });
  send({ type: "core.msg", thread: "t", seq: first }, { body: "last" });
  await heard(bob, "message", ({ body }) => body === "last");
  // Fetched, judged, and no longer waiting.
  const judged = async () => keysUnder(bob.dataDir, "parked/").length === 0 || undefined;
  await bob.until(judged, "all of it", { timeoutMs: 60_000 });
  const refused = (await eventsOf(bob, "refused")).map(({ thread, code }) => `${thread} ${code}`);
  assert.deepEqual(refused.sort(), [
    "o1 invalid_payload",
    "o2 invalid_payload",
    "o3 invalid_payload",
    "s artifact_too_large",
    "s invalid_payload",
    "s invalid_payload",
  ]);
  assert.equal((await bob.session(peer.back.id, "s"))?.turns, 1);
  assert.deepEqual(await bob.pendings(), []);
  assert.ok(bytesOf(bob) < 16 * 1024 * 1024, `${bytesOf(bob)} bytes are kept in memory and on disk for good`);
});

test("W48_no_runner_on_peer_content: nothing that a peer names is fetched, read or run", async (t) => {
  let touched = 0;
  const trap = createServer((_, response) => {
    touched += 1;
    response.end("{}");
  });
  trap.listen(0, "127.0.0.1");
  await once(trap, "listening");
  t.after(() => trap.close());
  const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const { pen, back } = await mallory(t, bob, hostile.url);
  const desk = await Desk.open(t, bob);
  const thread = "lint";
  const acceptance = [
    { id: "lint", test: "executable" as const, desc: `${url}/ruleset.yaml`, runner: "spectral" },
    { id: "size", test: "executable" as const, desc: "file:///etc/passwd", runner: "payload-size" },
    { id: "sh", test: "executable" as const, desc: "x", runner: `sh -c 'curl ${url}'` },
  ];
  await pen.write("nego.open", thread, terms({ acceptance }));
  await approveNext(bob, "open");
  await heard(bob, "session", ({ cause }) => cause === "approved");
  const api = JSON.stringify({
    openapi: "3.1.0",
    $ref: `${url}/root.json`,
    paths: { "/a": { $ref: `${url}/a.json#/x` }, "/b": { $ref: "file:///etc/passwd" } },
    components: { schemas: { Big: { type: "array", minItems: 1e9, items: { $ref: "#/components/schemas/Big" } } } },
  });
  const deliverable = { kind: "openapi", media_type: "application/json", name: `${url}/x.json`, text: api };
  await pen.write("nego.turn", thread, { msg_type: "propose", body: `See ${url}/why`, deliverable });
  const artifact_hash = createHash("sha256").update(api).digest("hex");
  await pen.write("atest.challenge", thread, { criterion_id: "lint", runner: "spectral", artifact_hash });
  await pen.write("atest.report", thread, { criterion_id: "lint", verdict: "pass", artifact_hash });
  await pen.write("core.msg", "t", { body: "last" });
  await heard(bob, "message", ({ body }) => body === "last");
  const refused = (await eventsOf(bob, "refused")).map(({ code }) => code);
  assert.deepEqual(refused, ["profile_not_supported", "profile_not_supported"]);
  for (const criterion_id of ["lint", "size", "sh"]) {
    const error = await desk.bad("atest_run", { thread, criterion_id, artifact_hash });
    assert.deepEqual([error.code, error.blame], ["not_available", "policy"]);
  }
  // Looking at it, and signing it, needs none of that either.
  const { deliverable: shown } = await desk.good("session_status", { thread, deliverable: artifact_hash });
  assert.equal(shown.text.data, api);
  await bob.sign(back.id, thread, artifact_hash);
  assert.equal(touched, 0);
  assert.ok(hostile.asked.every(({ path }) => !path.startsWith("/artifact/")));
});

test("W49_exactly_ten_mib_can_be_sent, sealed and all; a byte more is refused at once", async (t) => {
  const { alice, bob, bond } = await pair(...(await openTwo(t, relay.url)));
  // What sealing adds to the payload, by ENV-8 and PAY: a UUID, unix milliseconds, 16 bytes.
  const around = { body: "", mid: "m".repeat(36), expires_at: Date.now(), bind: "b".repeat(22) };
  const body = "x".repeat(10_485_760 - JSON.stringify(around).length);
  await assert.rejects(alice.send(bond.id, `${body}x`), { code: "payload_too_large" });
  await alice.send(bond.id, body, { thread: "t" });
  const [got = ""] = await received(bob, 1, 120_000);
  assert.ok(got === body, `${got.length} characters`);
});
