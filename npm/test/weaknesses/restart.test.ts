// Loss, order and restart: W35 to W40 of docs/weaknesses.md.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { type AgentPairError, type BaseHost, Identity, type Open, parseCode } from "agentpair";
import { edit, overwrite, record } from "../mcp/e2e/support/database.ts";
import { openHost, openTwo, pair, received } from "../support/hosts.ts";
import { approveNext, codesOf } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { eventsOf, heard, said } from "./support/feeds.ts";
import { type Asked, bodyOf, HostileRelay } from "./support/hostile-relay.ts";
import { mallory } from "./support/mallory.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const terms = (max_turns: number): Open => ({
  goal: "Fix the price of one hour",
  acceptance: [],
  budget: { max_turns, deadline: new Date(Date.now() + 3_600_000).toISOString() },
  mandate: { agent_may: ["propose", "counter", "accept"], human_required: ["ratify"] },
});

const text = (content: string) => ({ kind: "text", media_type: "text/plain", name: "a.txt", text: content }) as const;

/** Opens a session that the other human lets begin. */
async function live(alice: BaseHost, bob: BaseHost, max_turns: number): Promise<string> {
  const thread = await alice.openSession("bob", terms(max_turns));
  await approveNext(bob, "open");
  await alice.until(async () => (await alice.session("bob", thread))?.status === "live" || undefined, "the session", {
    timeoutMs: 60_000,
  });
  return thread;
}

/** All that a store holds; nothing where it cannot be read. */
function contents(dataDir: string): unknown {
  try {
    const database = new DatabaseSync(join(dataDir, "agentpair.db"), { readOnly: true });
    try {
      return ["records", "log"].map((table) => database.prepare(`SELECT * FROM ${table}`).all());
    } finally {
      database.close();
    }
  } catch {
    return statSync(join(dataDir, "agentpair.db")).size;
  }
}

/** What can happen to the file of a bonded host. */
const DAMAGES: { [name: string]: (file: string, bond: string) => void } = {
  "a bond's record is cut": (file, bond) => {
    const value = record(join(file, ".."), `bond/${bond}`) ?? "";
    overwrite(join(file, ".."), `bond/${bond}`, value.slice(0, -20));
  },
  "a bond's record has no contract": (file, bond) => {
    edit(join(file, ".."), `bond/${bond}`, (value) => {
      delete value.profiles;
    });
  },
  "a replay record is none": (file, bond) => overwrite(join(file, ".."), `nonce/${bond}/0000`, "{}"),
  "a counter is beyond its bounds": (file, bond) => {
    edit(join(file, ".."), `inbox/${bond}`, (value) => {
      value.next_nonce = -1;
    });
  },
  "the seed is cut": (file, bond) => overwrite(join(file, ".."), `secret/${bond}`, '"AAAA"'),
  "the file is cut in the middle": (file) => truncateSync(file, 5 * 4096 + 100),
  "the file is empty": (file) => {
    truncateSync(file, 0);
    for (const tail of ["-wal", "-shm"]) rmSync(file + tail, { force: true });
  },
};

test("W35_damaged_store_fails_closed: bonds and replay state are never begun anew", async (t) => {
  const dataDir = join(scratch(), "bob");
  const hostile = await HostileRelay.start(t, relay.url);
  const alice = await openHost(t, { relay: hostile.url });
  const first = await openHost(t, { relay: hostile.url, dataDir });
  const { bond, back } = await pair(alice, first);
  await alice.send(bond.id, "once", { thread: "t" });
  await received(first, 1);
  await first.close();
  const whole = join(dataDir, "..", "whole");
  cpSync(dataDir, whole, { recursive: true });

  for (const [name, damage] of Object.entries(DAMAGES)) {
    damage(join(dataDir, "agentpair.db"), back.id);
    const pushed = hostile.asked.length;
    const before = contents(dataDir);
    await assert.rejects(
      openHost(t, { relay: hostile.url, dataDir }),
      (error: AgentPairError) => {
        assert.equal(error.code, "store_corrupt", `${name}: ${error.code} ${error.message}`);
        assert.match(error.message, /restore it from a backup/, name);
        return true;
      },
      name,
    );
    // Nothing was made in its place, and no relay was told of a host without bonds.
    assert.deepEqual(contents(dataDir), before, name);
    const told = hostile.asked.slice(pushed).filter(({ path }) => !path.includes(bond.own.slice(8)));
    assert.deepEqual(told, [], name);
    rmSync(dataDir, { recursive: true });
    cpSync(whole, dataDir, { recursive: true });
  }

  // Put right, it knows its bond, and what it has heard: the relay gives it everything again.
  const bob = await openHost(t, { relay: hostile.url, dataDir });
  await alice.send(bond.id, "twice", { thread: "t" });
  await received(bob, 2);
  assert.deepEqual(await said(bob, "t"), ["once", "twice"]);
});

test("W36_refused_turns_are_shown_as_refused, and are no turns", async (t) => {
  const bob = await openHost(t, { relay: relay.url });
  const { back, pen } = await mallory(t, bob, relay.url, "alice");
  const thread = "over budget";
  await pen.write("nego.open", thread, terms(2));
  await approveNext(bob, "open");
  await heard(bob, "session", ({ cause }) => cause === "approved");
  // Two fit; the peer takes two more, one with a text to sign, and writes to a session that is none.
  for (const n of [1, 2, 3]) {
    await pen.write("nego.turn", thread, { thread, turn_count: 1, msg_type: "propose", body: `turn ${n}` });
  }
  await pen.write("nego.turn", thread, { msg_type: "propose", body: "turn 4", deliverable: text("late\n") });
  await pen.write("nego.turn", "no session", { msg_type: "propose", body: "turn 5", deliverable: text("late\n") });
  await pen.write("core.msg", "end", { body: "that was all" });
  await received(bob, 1);
  const refused = (await eventsOf(bob, "refused")).map(({ code, thread }) => [thread, code]);
  assert.deepEqual(refused, [
    [thread, "budget_exhausted"],
    [thread, "budget_exhausted"],
    ["no session", "session_not_found"],
  ]);
  const told = (await eventsOf(bob, "session")).filter(({ cause }) => cause === "turn");
  assert.equal(told.length, 2, "a refused turn is told as one");
  assert.deepEqual(
    (await bob.turns(back.id, thread)).map(({ n, body }) => [n, body]),
    [
      [1, "turn 1"],
      [2, "turn 2"],
    ],
  );
  assert.equal((await bob.session(back.id, thread))?.turns, 2);
  const late = createHash("sha256").update("late\n").digest("hex");
  assert.equal(await bob.deliverable(back.id, thread, late), undefined);
  await assert.rejects(bob.sign(back.id, thread, late), { code: "artifact_not_found" });
  assert.deepEqual(await said(bob), ["that was all"]);
});

/** How a relay refuses a post, and what has to follow from it. */
const REFUSALS: { status: number; error: string; follows: "refused" | "relayed"; tells?: string }[] = [
  // There is no room: nothing can be done about that.
  { status: 413, error: "envelope_too_large", follows: "refused" },
  { status: 413, error: "payload_too_large", follows: "refused" },
  // Another id helps, or patience.
  { status: 409, error: "envelope_id_collision", follows: "relayed" },
  { status: 429, error: "inbox_full", follows: "relayed", tells: "inbox_full" },
  { status: 500, error: "internal", follows: "relayed", tells: "internal" },
  // What was sealed here is well-formed and signed: whoever says otherwise is not believed for ever.
  { status: 400, error: "invalid_json", follows: "relayed", tells: "invalid_json" },
  { status: 400, error: "envelope_expired", follows: "relayed", tells: "envelope_expired" },
  { status: 403, error: "invalid_signature", follows: "relayed", tells: "invalid_signature" },
  // No code of a relay.
  { status: 403, error: "Relay Unavailable!", follows: "relayed", tells: "nonsense" },
];

test("W37_relay_refusals_keep_their_code: what is final is not repeated, what is not is tried again", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const { alice, bob, bond } = await pair(...(await openTwo(t, hostile.url)));
  const arriving: string[] = [];
  for (const [n, { status, error, follows, tells }] of REFUSALS.entries()) {
    const what = `${status} ${error}`;
    let times = 0;
    const isPost = ({ method, path }: { method: string; path: string }) =>
      method === "POST" && path.endsWith(encodeURI(bond.peer));
    // Once only: whatever comes after that finds an honest relay.
    hostile.instead = (asked) => {
      if (!isPost(asked) || times > 0) return undefined;
      times += 1;
      return { status, body: JSON.stringify({ error }) };
    };
    const before = hostile.asked.filter(isPost).length;
    const { mid } = await alice.send(bond.id, `message ${n}`, { thread: "t" });
    const end = await heard(alice, "delivery", (event) => event.mid === mid);
    assert.equal(end.state, follows, what);
    if (follows === "refused") assert.equal(end.code, error, what);
    if (follows !== "relayed") assert.equal(hostile.asked.filter(isPost).length, before + 1, `${what}: repeated`);
    const troubles = (await eventsOf(alice, "relay_trouble")).map((event) => event.code);
    assert.ok(!troubles.includes("relay_unavailable"), what);
    if (follows === "relayed") arriving.push(`message ${n}`);
    if (tells) assert.equal(troubles.at(-1), tells, what);
  }
  // Nobody is bonded with that agent: that is no trouble of the relay, and ends no bond.
  hostile.instead = ({ method, path }) =>
    method === "POST" && path.startsWith("/inbox/")
      ? { status: 403, body: '{"error":"recipient_not_allowed"}' }
      : undefined;
  const { mid } = await alice.send(bond.id, "still bonded", { thread: "t" });
  await heard(alice, "bond_changed", ({ status }) => status === "unreachable");
  hostile.instead = undefined;
  await heard(alice, "delivery", (event) => event.mid === mid && event.state === "relayed");
  assert.equal((await alice.bond(bond.id)).status, "active");
  arriving.push("still bonded");
  assert.deepEqual(await received(bob, arriving.length), arriving);
});

test("W38_mail_of_others_moves_no_position: that of a peer that was just bonded is not skipped", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const carol = await mallory(t, bob, hostile.url, "carol");
  hostile.isHolding = true;
  await carol.pen.write("core.msg", "t", { body: "from carol, early" });
  const foreign = hostile.mail.at(-1)?.wire ?? "";
  hostile.isHolding = false;
  const dave = await mallory(t, bob, hostile.url, "dave");
  // The relay fills the new inbox with another peer's mail, under the highest numbers there are.
  for (const rowid of [5, 1_000_000, Number.MAX_SAFE_INTEGER, 7]) hostile.deliver(dave.back.own, foreign, rowid);
  hostile.deliver(dave.back.own, "{}", Number.MAX_SAFE_INTEGER);
  await dave.pen.write("core.msg", "t", { body: "from dave, first" });
  await heard(bob, "message", ({ body }) => body === "from dave, first");
  // Nor does a new stream begin behind them.
  hostile.endStreams();
  await dave.pen.write("core.msg", "t", { body: "from dave, second" });
  hostile.deliver(carol.back.own, foreign);
  await heard(bob, "message", ({ body }) => body === "from dave, second");
  await heard(bob, "message", ({ body }) => body === "from carol, early");
  const heardOf = async (bond: string) =>
    (await eventsOf(bob, "message")).filter((event) => event.bond === bond).map(({ body }) => body);
  assert.deepEqual(await heardOf(dave.back.id), ["from dave, first", "from dave, second"]);
  assert.deepEqual(await heardOf(carol.back.id), ["from carol, early"]);
  // No query names a sender: the relay filters nothing.
  assert.ok(hostile.asked.every(({ path }) => !/senders|bonded_only/.test(path)));
});

/** First messages of a joiner that are none. `own` is the initiator's id. */
const NO_PAKE = (own: string): { [name: string]: string } => {
  const point = (fill: number, side = 0x42, length = 32) =>
    Buffer.concat([Buffer.from([side]), Buffer.alloc(length, fill)]).toString("base64url");
  const honest = Identity.fromSeed(Buffer.alloc(32, 7)).agentId;
  const message = (more: object) =>
    JSON.stringify({
      phase: "pake",
      payload: Buffer.concat([Buffer.from([0x42]), Buffer.from(honest.slice(8), "base64url")]).toString("base64url"),
      role: "joiner",
      fingerprint: "0".repeat(64),
      agentId: honest,
      profiles: ["bond/1", "core/1"],
      ...more,
    });
  return {
    "no JSON": "\u0000\u0001",
    "half of one": message({}).slice(0, -5),
    "an array": "[]",
    "nesting without end": "[".repeat(10_000),
    "no payload": message({ payload: undefined }),
    "a number as payload": message({ payload: 1e308 }),
    padding: message({ payload: `${point(1)}=` }),
    "no bytes": message({ payload: "" }),
    "too short": message({ payload: point(1, 0x42, 31) }),
    "the initiator's side": message({ payload: point(1, 0x41) }),
    "the neutral point": message({
      payload: Buffer.concat([Buffer.from([0x42, 1]), Buffer.alloc(31)]).toString("base64url"),
    }),
    zeros: message({ payload: point(0) }),
    "no point": message({ payload: point(0xff) }),
    "a point, and a guess": message({}),
    "no fingerprint": message({ fingerprint: undefined }),
    "an id of small order": message({ agentId: `ed25519:${Buffer.alloc(32).toString("base64url")}` }),
    "an id in another spelling": message({ agentId: `${honest}=` }),
    "the initiator's own id": message({ agentId: own }),
    "too many profiles": message({ profiles: Array.from({ length: 1_500 }, (_, n) => `a/${n}`) }),
  };
};

test("W39_pairing_survives_restarts_and_malformed_messages: each ends that one pairing, as pake_failed", async (t) => {
  const [aliceDir, bobDir] = [join(scratch(), "alice"), join(scratch(), "bob")];
  const alice = await openHost(t, { relay: relay.url, dataDir: aliceDir });
  const post = (path: string, body: string) => fetch(relay.url + path, { method: "POST", body });
  await Promise.all(
    Object.keys(NO_PAKE("")).map(async (name) => {
      const { code, pairing } = await alice.invite({ form: "link", timeoutMs: 30_000 });
      const rendezvous = parseCode(code).name;
      const claimed = await post(
        `/invite/${rendezvous}/claim`,
        JSON.stringify({ claim_id: Buffer.alloc(16).toString("base64url") }),
      );
      const { blob } = (await claimed.json()) as { blob: string };
      const { session_id, agent_id } = JSON.parse(Buffer.from(blob, "base64url").toString());
      const answer = await post(`/pair/${session_id}`, NO_PAKE(agent_id)[name] ?? "");
      assert.equal(answer.status, 204, name);
      await assert.rejects(alice.bonded(pairing, { timeoutMs: 60_000 }), { code: "pake_failed" }, name);
    }),
  );

  // A host that was there for all of that still pairs, although each side is started anew on the way.
  const { code, pairing } = await alice.invite({ petname: "bob", timeoutMs: 30_000 });
  await alice.close();
  const bob = await openHost(t, { relay: relay.url, dataDir: bobDir });
  const joining = await bob.join(code, { petname: "alice" });
  const again = await openHost(t, { relay: relay.url, dataDir: aliceDir });
  const asked = async () => (await bob.pendings()).find(({ subject }) => subject.kind === "join");
  const { id } = await bob.until(asked, "the question", { timeoutMs: 60_000 });
  const { approve } = await codesOf(bob, id);
  await bob.close();
  const back = await openHost(t, { relay: relay.url, dataDir: bobDir });
  await back.decide(id, approve);
  const [bond] = await Promise.all([again.bonded(pairing), back.bonded(joining)]);
  // No window in which the first message has to come.
  await again.send(bond.id, "hello");
  assert.deepEqual(await received(back, 1), ["hello"]);
});

/** Whether a turn is posted. */
const isTurn = ({ method, path, body }: Asked) =>
  method === "POST" && path.startsWith("/inbox/") && bodyOf(body.toString()).type === "nego.turn";

test("W40_turns_are_counted_alike_when_sending_fails: lost, repeated, and after a restart", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const dataDir = join(scratch(), "alice");
  let alice = await openHost(t, { relay: hostile.url, dataDir });
  const bob = await openHost(t, { relay: hostile.url });
  const { bond, back } = await pair(alice, bob);
  const thread = await live(alice, bob, 4);
  const counts = async () => [
    (await alice.session(bond.id, thread))?.turns,
    (await bob.session(back.id, thread))?.turns,
  ];
  const both = (n: number) =>
    bob.until(async () => (await counts()).every((count) => count === n) || undefined, `${n} turns`, {
      timeoutMs: 60_000,
    });

  // Nothing gets through; the host is started anew meanwhile.
  hostile.instead = (asked) => (isTurn(asked) ? { status: 503, body: '{"error":"internal"}' } : undefined);
  await alice.turn(bond.id, thread, "propose", "one", text("1\n"));
  await hostile.until(isTurn);
  await alice.close();
  alice = await openHost(t, { relay: hostile.url, dataDir });
  await hostile.until(isTurn, 2);
  assert.deepEqual(await counts(), [1, 0]);
  hostile.instead = undefined;
  await both(1);

  // It gets through, three times, and is said not to have.
  let lies = 0;
  hostile.instead = (asked) => {
    if (!isTurn(asked) || lies === 3) return undefined;
    lies += 1;
    hostile.deliver(bond.own, asked.body.toString());
    return { status: 502, body: "" };
  };
  await bob.turn(back.id, thread, "counter", "two", text("2\n"));
  await both(2);

  // The budget is the same on both sides: neither has a turn too many.
  await alice.turn(bond.id, thread, "counter", "three", text("3\n"));
  await both(3);
  await bob.turn(back.id, thread, "counter", "four", text("4\n"));
  await both(4);
  for (const [host, name] of [
    [alice, bond.id],
    [bob, back.id],
  ] as const) {
    await assert.rejects(host.turn(name, thread, "counter", "five", text("5\n")), { code: "budget_exhausted" });
    const turns = (await host.turns(name, thread)).map(({ n, body }) => `${n} ${body}`);
    assert.deepEqual(turns, ["1 one", "2 two", "3 three", "4 four"]);
  }
});

test("W40_a_turn_that_the_relay_refuses_splits_no_session", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const { alice, bob, bond, back } = await pair(...(await openTwo(t, hostile.url)));
  const thread = await live(alice, bob, 4);
  // The relay says that it can never be taken: both count it all the same, or both know that the session is over.
  let lies = 0;
  hostile.instead = (asked) => {
    if (!isTurn(asked) || lies === 1) return undefined;
    lies += 1;
    return { status: 413, body: '{"error":"envelope_too_large"}' };
  };
  await alice.turn(bond.id, thread, "propose", "one", text("1\n"));
  const alike = async () => {
    const [ours, theirs] = [await alice.session(bond.id, thread), await bob.session(back.id, thread)];
    const isAlike = ours?.status === theirs?.status && (ours?.status === "ended" || theirs?.turns === 1);
    return (lies === 1 && isAlike) || undefined;
  };
  await bob.until(alike, "both sides to see the same session", { timeoutMs: 20_000 });
});
