// Who somebody is, and what belongs to whom: W55 to W60 of docs/weaknesses.md.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { after, test } from "node:test";
import { AgentId, type Host, Identity, type Open, PairKey, verifyReceipt } from "agentpair";
import { edit, keysUnder, overwrite, record } from "../mcp/e2e/support/database.ts";
import { Between } from "../support/between.ts";
import { messages, openHost, openTwo, pair, received } from "../support/hosts.ts";
import { approveNext, codesOf } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { agree, PATIENCE, stands, terms, text } from "./support/agree.ts";
import { eventsOf, heard, said } from "./support/feeds.ts";
import { forged } from "./support/forge.ts";
import { bodyOf, HostileRelay } from "./support/hostile-relay.ts";
import { type Mallory, mallory } from "./support/mallory.ts";
import { Spiller } from "./support/spill.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

/** An id whose key is that many bytes, as 51 characters or more. */
const idOf = (bytes: Buffer) => `ed25519:${bytes.toString("base64url")}`;

/** Keys under which a lenient check takes any signature, in all their spellings, and what is no key. */
const NO_KEYS = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  "0200000000000000000000000000000000000000000000000000000000000000",
].map((hex) => idOf(Buffer.from(hex, "hex")));

test("W55_alias_and_small_order_ids_are_nobody: one key has one spelling, and some have none", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const { pen, bond, back } = await mallory(t, bob, hostile.url);
  const key = bond.own.slice(8);
  const last = key.at(-1) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // 32 bytes are 42 characters and 4 bits: two bits of the last one are to spare.
  const aliases = [
    ...[1, 2, 3].map((spare) => `ed25519:${key.slice(0, -1)}${alphabet[alphabet.indexOf(last) ^ spare]}`),
    `${bond.own}=`,
    `${bond.own}==`,
    `${bond.own} `,
    `${bond.own}\n`,
    bond.own.replace("ed25519", "ED25519"),
    bond.own.replaceAll("-", "+").replaceAll("_", "/").replace("ed25519:", "ed25519:\u0000"),
    idOf(Buffer.concat([Buffer.from(key, "base64url"), Buffer.alloc(1)])),
  ].filter((alias) => alias !== bond.own);
  for (const id of [...aliases, ...NO_KEYS]) {
    assert.throws(() => AgentId.parse(id), { code: "invalid_argument" }, id);
    assert.throws(() => PairKey.derive(Identity.fromSeed(Buffer.alloc(32, 1)), id), { code: "invalid_argument" }, id);
  }

  // The relay registers none of them, whatever the signature, and lets none of them write.
  const anySig = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]).toString("base64url");
  for (const id of [...aliases, ...NO_KEYS]) {
    const blob = Buffer.from(JSON.stringify({ agent_id: id, allowed: [] })).toString("base64url");
    const path = `/allowlist/${encodeURIComponent(id)}`;
    const answer = await fetch(relay.url + path, { method: "PUT", body: JSON.stringify({ blob, sig: anySig }) });
    assert.ok(answer.status === 400 || answer.status === 403, `${id}: ${answer.status}`);
  }

  // The peer writes under another name of its own, and in the name of keys that verify anything.
  hostile.isHolding = true;
  for (const id of [...aliases, ...NO_KEYS]) {
    await pen.write("core.msg", "t", { body: `from ${id}` });
    const wire = hostile.mail.at(-1)?.wire ?? "";
    const inner = (body: string) => JSON.stringify({ ...JSON.parse(body), from: id });
    hostile.deliver(back.own, forged(pen, wire, inner, { from: id }));
    hostile.deliver(back.own, forged(pen, wire, inner, { from: id, sig: anySig }));
    hostile.deliver(back.own, forged(pen, wire, inner));
    hostile.deliver(
      back.own,
      forged(pen, wire, (body) => body, { from: id }),
    );
    hostile.deliver(
      back.own,
      forged(pen, wire, (body) => JSON.stringify({ ...JSON.parse(body), to: `${back.own}=` })),
    );
  }
  hostile.isHolding = false;
  await pen.write("core.msg", "t", { body: "from the one name" });
  await heard(bob, "message", ({ body }) => body === "from the one name");
  assert.deepEqual(await messages(bob), ["from the one name"]);
  assert.deepEqual(await eventsOf(bob, "refused"), []);
  assert.equal((await bob.bonds()).length, 1);
});

test("W56_odd_numbers_are_no_seq: nothing is shown twice, whatever number it carries", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const bob = await openHost(t, { relay: hostile.url });
  const peer = await mallory(t, bob, hostile.url);
  const { pen, back } = peer;
  const odd = [
    "1e999",
    "-1e999",
    "1.5",
    "100001.0",
    "1e5",
    '"100001"',
    "9007199254740992",
    "1e16",
    "-1",
    "-0",
    "0",
    "null",
    "[]",
  ];
  hostile.isHolding = true;
  for (const field of ["seq", "ttl", "ts", "prev"]) {
    for (const number of odd) {
      await pen.write("core.msg", `${field} ${number}`, { body: `${field} ${number}` });
      const wire = hostile.mail.at(-1)?.wire ?? "";
      const other = forged(pen, wire, (body) => body.replace(new RegExp(`"${field}":\\d+`), `"${field}":${number}`));
      for (let times = 0; times < 3; times++) hostile.deliver(back.own, other);
      if (field !== "seq" || !/^(1e999|1\.5|"|9007199254740992|1e16)/.test(number)) continue;
      // The real relay stops it before.
      const answer = await fetch(`${relay.url}/inbox/${back.own}`, { method: "POST", body: other });
      assert.deepEqual([answer.status, await answer.text()], [400, '{"error":"invalid_json"}'], number);
    }
  }
  hostile.isHolding = false;
  await pen.write("core.msg", "t", { body: "an honest number" });
  await heard(bob, "message", ({ body }) => body === "an honest number");
  const shown = await messages(bob);
  assert.deepEqual(shown, [...new Set(shown)], "something was shown twice");
  // `prev` says whether something is missing, and is not bound to the text; as a number it has to be one.
  assert.deepEqual(
    shown.filter((body) => !body.startsWith("prev ")),
    ["an honest number"],
  );
  for (const body of shown.filter((body) => body.startsWith("prev "))) assert.match(body, /^prev -?0$/);

  // The highest number that there is: it has its effect once, and closes that thread for the peer alone.
  const [spiller, id] = [new Spiller(peer), randomUUID()];
  const place = { type: "core.msg", thread: "high", seq: Number.MAX_SAFE_INTEGER };
  const top = spiller.seal(place, spiller.whole(place, { body: "the highest" }, id), id);
  for (let times = 0; times < 5; times++) hostile.deliver(back.own, top);
  await pen.write("core.msg", "high", { body: "below it" });
  await pen.write("core.msg", "t", { body: "elsewhere" });
  await heard(bob, "message", ({ body }) => body === "elsewhere");
  assert.deepEqual(await said(bob, "high"), ["the highest"]);
  const { seq } = await bob.send(back.id, "our own numbers go on", { thread: "high" });
  assert.equal(seq, 1);
});

test("W57_without_its_record_a_bond_is_none: nothing is let in, nothing goes out, and nothing is assumed", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const dataDir = join(scratch(), "bob");
  const bob = await openHost(t, { relay: hostile.url, dataDir });
  const [lost, kept] = [await mallory(t, bob, hostile.url, "lost"), await mallory(t, bob, hostile.url, "kept")];
  const key = `bond/${lost.back.id}`;
  const whole = record(dataDir, key) ?? assert.fail();
  overwrite(dataDir, key, null);
  // The stream is open, and the keys are there: only what was agreed on is not known any more.
  const everything = async (round: string) => {
    await lost.pen.write("core.msg", round, { body: `lost ${round}` });
    await lost.pen.write("nego.open", `o ${round}`, terms());
    await lost.pen.write("core.close", round, {});
    await lost.pen.write("atest.challenge", round, {});
    await lost.pen.write("bond.hello", "bond", {
      software: "x",
      profiles: [],
      host: "process",
      keys: "",
      scope: [],
      mode: "",
    });
    await kept.pen.write("core.msg", round, { body: `kept ${round}` });
    await heard(bob, "message", ({ body }) => body === `kept ${round}`);
  };
  const posted = () => hostile.mail.filter(({ wire }) => JSON.parse(wire).from === lost.back.own).length;
  const nothing = async (host: Host, sent: number) => {
    for (const name of [lost.back.id, "lost"]) {
      await assert.rejects(host.send(name, "x"), { code: "bond_not_found" });
      await assert.rejects(host.openSession(name, terms()), { code: "bond_not_found" });
    }
    assert.deepEqual(
      (await messages(host)).filter((body) => body.startsWith("lost")),
      [],
    );
    assert.deepEqual([await host.sessions(), await eventsOf(host, "refused"), posted()], [[], [], sent]);
    assert.deepEqual(
      (await host.bonds()).map(({ petname }) => petname),
      ["kept"],
    );
  };
  const sent = posted();
  await everything("running");
  await nothing(bob, sent);
  hostile.endStreams();
  await everything("connected anew");
  await nothing(bob, sent);

  // A record that does not say what was agreed on is damage, not a licence.
  await bob.close();
  overwrite(dataDir, key, whole);
  for (const member of ["profiles", "scope", "status", "peer", "own"]) {
    edit(dataDir, key, (bond) => {
      delete bond[member];
    });
    await assert.rejects(openHost(t, { relay: hostile.url, dataDir }), { code: "store_corrupt" }, member);
    overwrite(dataDir, key, whole);
  }
  const again = await openHost(t, { relay: hostile.url, dataDir });
  await lost.pen.write("core.msg", "back", { body: "lost and found" });
  await heard(again, "message", ({ body }) => body === "lost and found");
});

/** How a session on an ephemeral bond can end; each leaves with the bond. */
const ENDS: { [name: string]: (bob: Host, peer: Mallory, thread: string) => Promise<unknown> } = {
  "this side closes": (bob, { back }, thread) => bob.closeThread(back.id, thread),
  "the peer closes": (_, { pen }, thread) => pen.write("core.close", thread, { reason: "x" }),
  "the deadline passes": async () => {},
  "the human refuses": async (bob) => {
    const [{ id = "" } = {}] = await bob.pendings();
    await bob.decide(id, (await codesOf(bob, id)).reject);
  },
  "it is never opened in time": (_, { pen }) =>
    pen.write("nego.open", "late", terms({ budget: { max_turns: 2, deadline: "2020-01-01T00:00:00Z" } })),
};

test("W58_an_ephemeral_bond_ends_with_its_session: however that ends, and at the relay too", async (t) => {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  const dataDir = join(scratch(), "bob");
  let bob = await openHost(t, { relay: proxy.url, dataDir });
  const isOver = (peer: Mallory) => async () => (await bob.bond(peer.back.id)).status === "revoked" || undefined;
  const isShut = async ({ pen }: Mallory) =>
    (await pen.attempt("core.msg", "after", { body: "after the end" })) === 403 || undefined;
  const opened: [string, Mallory, string][] = [];
  for (const name of Object.keys(ENDS)) {
    const mode = "ephemeral_until_session_closes";
    const peer = await mallory(t, bob, proxy.url, name.replaceAll(" ", "-"), { mode });
    const thread = `s ${name}`;
    opened.push([name, peer, thread]);
    if (name === "it is never opened in time") continue;
    const isShort = name === "the deadline passes";
    const deadline = new Date(Date.now() + (isShort ? 5_000 : 3_600_000)).toISOString();
    await peer.pen.write("nego.open", thread, terms({ budget: { max_turns: 2, deadline } }));
    if (name === "the human refuses") await bob.until(async () => (await bob.pendings())[0], "the question", PATIENCE);
    else await approveNext(bob, "open");
  }
  await Promise.all(
    opened.map(async ([name, peer, thread]) => {
      await ENDS[name]?.(bob, peer, thread);
      await bob.until(isOver(peer), name, PATIENCE);
      assert.equal((await bob.sessions()).find(({ bond }) => bond === peer.back.id)?.status, "ended", name);
      await bob.until(() => isShut(peer), `the relay to know: ${name}`, PATIENCE);
      await assert.rejects(bob.send(peer.back.id, "x"), { code: "bond_not_active" }, name);
    }),
  );

  // An agreement ends it too, and the receipt stays, on both sides.
  const alice = await openHost(t, { relay: proxy.url });
  const { code, pairing } = await alice.invite({
    petname: "bob",
    mode: "ephemeral_until_session_closes",
    timeoutMs: 30_000,
  });
  const joining = await bob.join(code, { petname: "alice" });
  await approveNext(bob, "join");
  const [bond, back] = await Promise.all([alice.bonded(pairing), bob.bonded(joining)]);
  const { thread } = await agree(alice, bob, "120 EUR\n");
  for (const [host, id] of [
    [alice, bond.id],
    [bob, back.id],
  ] as const) {
    const ended = async () => ["revoked", "revoked_by_peer"].includes((await host.bond(id)).status) || undefined;
    await host.until(ended, "the end", PATIENCE);
    verifyReceipt((await host.receipt(id, thread)) ?? "");
  }

  // The relay cannot be reached when the bond is ended: it is ended here, and the relay hears of it as soon as it can.
  const peer = await mallory(t, bob, proxy.url, "unlucky");
  proxy.answer = (_, response) => response.writeHead(500).end('{"error":"internal"}');
  await bob.revoke(peer.back.id);
  await bob.close();
  proxy.answer = undefined;
  assert.equal(await peer.pen.attempt("core.msg", "before", { body: "before the relay knows" }), 204);
  bob = await openHost(t, { relay: proxy.url, dataDir });
  assert.equal((await bob.bond(peer.back.id)).status, "revoked");
  await bob.until(() => isShut(peer), "the relay to know", PATIENCE);
  assert.deepEqual(await messages(bob), []);
});

test("W59_threads_belong_to_one_bond: who is not on it closes nothing, and moves nothing", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const { alice, bob, bond, back } = await pair(...(await openTwo(t, hostile.url)));
  const carol = await mallory(t, bob as Host, hostile.url, "carol");
  const { thread, hash } = { thread: await alice.openSession("bob", terms()), hash: sha256("120 EUR\n") };
  await approveNext(bob, "open");
  await stands(alice, "bob", thread, "live");
  await alice.send(bond.id, "one", { thread: "order" });
  await bob.send(back.id, "two", { thread: "order" });
  await Promise.all([received(bob, 1), received(alice, 1)]);

  // Carol knows every name, and has a bond of her own.
  const proposal_id = randomUUID();
  for (const [type, payload] of Object.entries({
    "core.close": { reason: "ratify_rejected" },
    "nego.open_approved": { thread, terms: sha256("x") },
    "nego.open_reject": { thread, reason: "x" },
    "nego.open_expired": { thread },
    "nego.turn": { thread, msg_type: "propose", body: "carol's", deliverable: text("1 EUR\n") },
    "nego.signed": { thread, artifact_hash: hash, agreement: hash },
    "nego.ratified": { thread, artifact_hash: hash },
    "nego.budget_propose": { thread, proposal_id, new_max_turns: 900 },
    "nego.budget_approved": { thread, proposal_id, new_max_turns: 900 },
  })) {
    await carol.pen.write(type, thread, payload);
  }
  await carol.pen.write("core.close", "order", {});
  await carol.pen.write("core.msg", "carols", { body: "that was all" });
  await heard(bob, "message", ({ body }) => body === "that was all");
  const refused = (await eventsOf(bob, "refused")).filter((event) => event.bond === carol.back.id);
  assert.deepEqual([...new Set(refused.map(({ code }) => code))], ["session_not_found"]);
  assert.equal(refused.length, 8);

  // Alice and Bob go on where they were.
  const before = await bob.session(back.id, thread);
  assert.deepEqual([before?.status, before?.turns, before?.maxTurns, before?.signedByPeer], ["live", 0, 6, undefined]);
  await alice.turn(bond.id, thread, "propose", "A fair price.", text("120 EUR\n"));
  await bob.until(async () => (await bob.session(back.id, thread))?.yourTurn || undefined, "the turn", PATIENCE);
  await bob.sign(back.id, thread, hash);
  await alice.until(async () => (await alice.session(bond.id, thread))?.signedByPeer, "the signature", PATIENCE);
  await bob.send(back.id, "three", { thread: "order" });
  await alice.send(bond.id, "four", { thread: "order" });
  assert.deepEqual(await received(alice, 2), ["two", "three"]);
  await received(bob, 3);
  assert.deepEqual(await said(bob, "order"), ["one", "four"]);
  await assert.rejects(bob.send(carol.back.id, "x", { thread: "order" }), { code: "thread_closed" });
});

test("W60_an_opening_on_a_foreign_thread_tells_nothing: neither a stranger nor a bonded peer learns of a session", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const { alice, bob, bond, back } = await pair(...(await openTwo(t, hostile.url)));
  const carol = await mallory(t, bob as Host, hostile.url, "carol");
  const thread = await alice.openSession("bob", terms({ goal: "Alice's goal" }));
  await approveNext(bob, "open");
  await stands(alice, "bob", thread, "live");

  // A stranger, through a relay that lets everybody in.
  const stranger = Identity.fromSeed(Buffer.alloc(32, 9));
  const sealed = PairKey.derive(stranger, back.own).seal(
    randomUUID(),
    "nego.open",
    thread,
    1,
    Math.ceil(Date.now() / 1_000) + 600,
    Buffer.from(JSON.stringify(terms({ goal: "a stranger's goal" }))),
    Date.now(),
    0,
  );
  for (const inbox of [back.own, carol.back.own]) hostile.deliver(inbox, Buffer.from(sealed).toString());

  // Carol opens on it, in Alice's name and in her own.
  const mail = hostile.mail.length;
  await carol.pen.write("nego.open", thread, terms({ goal: "Carol's goal", from: bond.own } as Partial<Open>));
  await carol.pen.write("nego.open", thread, terms({ goal: "Carol's goal" }));
  const asked = async () => (await bob.pendings()).find(({ subject }) => subject.kind === "open");
  const question = await bob.until(asked, "the question", PATIENCE);
  assert.match(question.question, /negotiate with carol/);
  const { reject, text: file } = await codesOf(bob, question.id);
  assert.ok(file.includes("Carol's goal") && !file.includes("Alice's goal"));
  await bob.decide(question.id, reject);
  const { wire } = await hostile.posted((body) => body.type === "nego.open_reject" && body.from === carol.back.own);
  assert.equal(JSON.parse(wire).to, carol.bond.own);

  // All that she got back.
  const key = PairKey.derive(Identity.fromSeed(Buffer.from(carol.secret, "base64url")), carol.bond.peer);
  const told = hostile.mail
    .slice(mail)
    .filter(({ to }) => to === carol.bond.own)
    .map(({ wire }) => ({
      type: bodyOf(wire).type,
      plaintext: Buffer.from(key.open(Buffer.from(wire), 0, Math.floor(Date.now() / 1_000)).plaintext).toString(),
    }));
  for (const { type, plaintext } of told) {
    assert.ok(["core.ack", "nego.open_reject"].includes(type), type);
    assert.doesNotMatch(plaintext, /Alice|live|goal|status|max_turns/);
  }
  const codes = told.flatMap(({ plaintext }) => JSON.parse(plaintext).refused ?? []).map(({ code }) => code);
  assert.deepEqual(codes, ["invalid_payload"]);
  assert.deepEqual(
    hostile.mail.filter(({ to }) => to === stranger.agentId),
    [],
  );
  const counters = keysUnder((bob as Host).dataDir, "rejected/").filter((key) => key.includes("recipient_not_allowed"));
  assert.equal(counters.length, 2, "one for each inbox");

  // Alice's session is what it was, and each is asked for by the bond.
  const [ours, theirs] = [await bob.session(back.id, thread), await bob.session(carol.back.id, thread)];
  assert.deepEqual([ours?.status, ours?.terms.goal], ["live", "Alice's goal"]);
  assert.deepEqual([theirs?.status, theirs?.terms.goal], ["ended", "Carol's goal"]);
});
