// A relay that stands between two who pair, and somebody who has the code but not the key that he claims.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, type TestContext, test } from "node:test";
import { type BondView, type Host, Identity, parseCode } from "agentpair";
import { Pen } from "../mcp/e2e/support/pen.ts";
import { openHost } from "../support/hosts.ts";
import { approveNext, codesOf } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { eventsOf, heard } from "./support/feeds.ts";
import { type Asked, HostileRelay, type Told } from "./support/hostile-relay.ts";
import {
  freshIdentity,
  type Invite,
  inviteIn,
  PairingHand,
  type Pretence,
  type SlotMessage,
  signedInvite,
} from "./support/pairing-hand.ts";

/** One for all tests of this file. */
const real = await Relay.start({ after });

const TERMS = {
  goal: "Anything",
  acceptance: [],
  budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
  mandate: { agent_may: [], human_required: [] },
};

/** A code of the same name, and with another secret. */
const guessFor = (name: string) => `${name.slice(1)}-abacus-abdomen-abdominal`;

/** Waits until a pairing is over, and returns its outcome. */
function outcome(host: Host, pairing: string): Promise<string> {
  const over = async () => (await host.pairing(pairing)).outcome;
  return host.until(over, "the end of the pairing", { timeoutMs: 60_000 });
}

/** The pairing sessions of a relay that answers by itself: what is in their slots, and what was put there. */
class Slots {
  readonly #relay: HostileRelay;
  readonly #contents = new Map<string, string>();
  /** The answers to claims, by name. */
  readonly claims = new Map<string, string>();

  constructor(relay: HostileRelay) {
    this.#relay = relay;
    relay.instead = (asked) => this.#answer(asked);
  }

  /** Puts a message there, and wakes who waits. */
  put(session: string, message: string): void {
    this.#contents.set(session, message);
    this.#relay.hangUp();
  }

  /** Waits for what a host puts there, of a phase. */
  async said(session: string, phase: string): Promise<SlotMessage> {
    const isIt = ({ method, path, body }: Asked) =>
      method === "POST" && path === `/pair/${session}` && JSON.parse(body.toString()).phase === phase;
    const [asked] = await this.#relay.until(isIt);
    return JSON.parse(asked?.body.toString() ?? "");
  }

  #answer({ method, path, body }: Asked): Told | "silence" | undefined {
    const [, name] = /^\/invite\/([^/]+)\/claim$/.exec(path) ?? [];
    const claim = name === undefined ? undefined : this.claims.get(name);
    if (claim) return { status: 200, body: claim };
    const [, session = ""] = /^\/pair\/([^?]+)/.exec(path) ?? [];
    const content = this.#contents.get(session);
    if (content === undefined) return undefined;
    if (method !== "POST") return { status: 200, body: content };
    assert.ok(JSON.parse(body.toString()).phase);
    return { status: 204 };
  }
}

/** The invite that a host published. */
async function published(relay: HostileRelay, code: string): Promise<Invite> {
  const name = parseCode(code).name;
  const [asked] = await relay.until(({ method, path }) => method === "PUT" && path === `/invite/${name}`);
  return inviteIn(asked?.body ?? "");
}

/** An invite of somebody else under the same name. */
function swapped(invite: Invite, own: Identity, code: string): { hand: PairingHand; invite: Invite } {
  const session_id = "between";
  const hand = new PairingHand("initiator", code, session_id, { id: own.agentId });
  const proposal = { ...invite.proposal, initiatorAgentId: own.agentId };
  return { hand, invite: { ...invite, agent_id: own.agentId, session_id, proposal, pake: hand.first } };
}

test("W04_a_relay_cannot_become_the_friend: it gets one guess on each side, and both sides are told", async (t) => {
  const relay = await HostileRelay.start(t, real.url);
  const slots = new Slots(relay);
  const [alice, bob] = [await openHost(t, { relay: relay.url }), await openHost(t, { relay: relay.url })];
  const { code, pairing } = await alice.invite({ timeoutMs: 30_000 });
  const invite = await published(relay, code);

  // To Bob it is Alice, with an invite of its own under the name that he asks for.
  const own = freshIdentity();
  const toBob = swapped(invite, own, guessFor(invite.name));
  slots.claims.set(invite.name, signedInvite(own, toBob.invite));
  slots.put("between", toBob.invite.pake);
  const joining = await bob.join(code, { petname: "alice" });
  const answer = await slots.said("between", "pake");
  slots.put("between", toBob.hand.confirm(answer, own));
  assert.equal(await outcome(bob, joining), "pake_failed");
  assert.ok(!toBob.hand.isEqual(answer));
  // Even what Bob answers with tells it nothing that it could try a second guess on: his secret is gone.
  await assert.rejects(bob.join(code), { code: "code_spent" });

  // To Alice it is Bob.
  const guess = new PairingHand("joiner", guessFor(invite.name), invite.session_id, { id: own.agentId });
  slots.put(invite.session_id, guess.answer(invite));
  assert.equal(await outcome(alice, pairing), "pake_failed");
  assert.equal((await slots.said(invite.session_id, "bond_fail")).phase, "bond_fail");
  // A second guess, and be it the right one, finds nobody.
  const right = new PairingHand("joiner", code, invite.session_id, { id: own.agentId });
  slots.put(invite.session_id, right.answer(invite));
  const next = await alice.invite({ timeoutMs: 30_000 });
  assert.notEqual(next.code, code);
  assert.ok(!relay.asked.some(({ body }) => body.includes('"confirm"') && body.includes(invite.agent_id)));

  for (const host of [alice, bob]) {
    assert.deepEqual([await host.bonds(), await host.pendings()], [[], []]);
    assert.equal((await eventsOf(host, "pairing_ended")).length, 1);
  }
  assert.ok(!relay.asked.some(({ path }) => path.startsWith("/allowlist/")), "nobody was allowed to write");
});

test("W04_a_lucky_guess_of_digits_gives_a_held_bond, and the numbers differ", async (t) => {
  const relay = await HostileRelay.start(t, real.url);
  const slots = new Slots(relay);
  const [alice, bob] = [await openHost(t, { relay: relay.url }), await openHost(t, { relay: relay.url })];
  const { code, pairing } = await alice.invite({ form: "digits", timeoutMs: 30_000 });
  const invite = await published(relay, code);
  // One in a thousand: the relay has guessed the code, on both sides.
  const [asAlice, asBob] = [0, 1].map(() => randomBytes(32)) as [Buffer, Buffer];
  const [faceOfAlice, faceOfBob] = [asAlice, asBob].map((seed) => Identity.fromSeed(seed)) as [Identity, Identity];
  const toBob = swapped(invite, faceOfAlice, code);
  slots.claims.set(invite.name, signedInvite(faceOfAlice, toBob.invite));
  slots.put("between", toBob.invite.pake);
  const joining = await bob.join(code, { petname: "alice" });
  slots.put("between", toBob.hand.confirm(await slots.said("between", "pake"), faceOfAlice));
  await approveNext(bob, "join");
  await slots.said("between", "bond_ok");
  slots.put("between", toBob.hand.bondOk(faceOfAlice));

  const toAlice = new PairingHand("joiner", code, invite.session_id, { id: faceOfBob.agentId });
  slots.put(invite.session_id, toAlice.answer(invite));
  await slots.said(invite.session_id, "confirm");
  slots.put(invite.session_id, toAlice.bondOk(faceOfBob));
  await slots.said(invite.session_id, "bond_ok");

  const faces: [Host, string, Buffer][] = [
    [alice, pairing, asBob],
    [bob, joining, asAlice],
  ];
  const numbers: string[] = [];
  for (const [host, id, seed] of faces) {
    const bond = await helloed(relay, host, id, seed);
    assert.deepEqual([bond.status, bond.mustVerify, bond.verification], ["held", true, undefined]);
    const pen = penOf(relay, bond, seed);
    await pen.write("core.msg", "talk", { body: "It is me" });
    await pen.write("nego.open", "deal", TERMS);
    for (const thread of ["talk", "deal"]) {
      const refused = await heard(host, "refused", (event) => event.thread === thread);
      assert.equal(refused.code, "bond_held");
    }
    assert.deepEqual([await eventsOf(host, "message"), await host.sessions(), await host.pendings()], [[], [], []]);
    await assert.rejects(host.send(bond.id, "Is it you?"), { code: "bond_held" });
    await assert.rejects(host.openSession(bond.id, TERMS), { code: "bond_held" });
    numbers.push((await host.safetyNumber(bond.id)).join(" "));
  }
  assert.notEqual(numbers[0], numbers[1]);
  const pending = await alice.verify((await alice.bonds())[0]?.id ?? "");
  await alice.decide(pending, (await codesOf(alice, pending)).reject);
  assert.equal((await alice.bonds())[0]?.status, "held");
});

/** The hand of whoever is the other side of a bond. */
function penOf(relay: HostileRelay, { own, peer }: BondView, seed: Buffer): Pen {
  return new Pen({ own: peer, peer: own, relay: relay.url }, JSON.stringify(seed.toString("base64url")));
}

/** Says hello on the bond of a pairing that went well. Resolves with the bond, once it is more than pending. */
async function helloed(relay: HostileRelay, host: Host, pairing: string, seed: Buffer): Promise<BondView> {
  const made = async () => (await host.bonds()).find(({ status }) => status === "pending");
  const bond = await host.until(made, "the bond", { timeoutMs: 60_000 });
  const { keysDigest: keys, scope, mode, profiles } = bond;
  const hello = { software: "none", profiles, host: "process", keys, scope, mode };
  await penOf(relay, bond, seed).write("bond.hello", "bond", hello);
  return host.bonded(pairing, { timeoutMs: 60_000 });
}

/** Claims to be somebody else when joining: who proves it, and what is said. */
interface Claimed extends Pretence {
  prover?: Identity | undefined;
  /** Another fingerprint than that of this pairing. */
  fingerprint?: Buffer;
}

/** Joins with a code, as whoever it likes to be. */
async function joinAs(t: TestContext, who: (invite: Invite) => Claimed & { id: string }) {
  const alice = await openHost(t, { relay: real.url });
  const { code, pairing } = await alice.invite({ petname: "bob", timeoutMs: 30_000 });
  const { name } = parseCode(code);
  const claim_id = randomBytes(16).toString("base64url");
  const ask = (path: string, body?: string) =>
    fetch(real.url + path, body === undefined ? {} : { method: "POST", body });
  const invite = inviteIn(await (await ask(`/invite/${name}/claim`, JSON.stringify({ claim_id }))).text());
  const { prover, fingerprint, ...pretence } = who(invite);
  const hand = new PairingHand("joiner", code, invite.session_id, pretence);
  await ask(`/pair/${invite.session_id}`, hand.answer(invite));
  const look = async () => {
    const answer = await ask(`/pair/${invite.session_id}`);
    const { phase } = answer.ok ? ((await answer.json()) as SlotMessage) : { phase: "lost" };
    return phase === "pake" ? undefined : phase;
  };
  const phase = await alice.until(look, "an answer", { timeoutMs: 60_000 });
  if (phase === "confirm") await ask(`/pair/${invite.session_id}`, hand.bondOk(prover, fingerprint));
  return { alice, pairing, outcome: await outcome(alice, pairing) };
}

test("W05_nobody_joins_under_an_id_whose_key_he_has_not, although he has the code", { concurrency: 4 }, async (t) => {
  const [carol, own] = [freshIdentity(), freshIdentity()];
  const id = carol.agentId;
  const bytes = (fill: number[]) =>
    `ed25519:${Buffer.from([...fill, ...Array(32 - fill.length).fill(0)]).toString("base64url")}`;
  const last = id.at(-1) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const alias = id.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1];
  const tricks: { [how: string]: (invite: Invite) => Claimed & { id: string } } = {
    "no proof": () => ({ id }),
    "a proof by another key": () => ({ id, prover: own }),
    "a proof from another pairing": () => ({ id, prover: carol, fingerprint: randomBytes(32) }),
    "the inviting host's own id": ({ agent_id }) => ({ id: agent_id, prover: own }),
    "another spelling of the id": () => ({ id: alias, prover: carol }),
    "an id of small order": () => ({ id: bytes([1]), prover: own }),
    "an id that is no point": () => ({ id: bytes([2]), prover: own }),
    "an id in hexadecimal": () => ({ id: `ed25519:${"ab".repeat(32)}`, prover: own }),
    "no word of proofs": () => ({ id, profiles: ["core/1", "nego/1"] }),
  };
  const tests = Object.entries(tricks).map(([how, who]) =>
    t.test(how, async (t) => {
      const { alice, outcome } = await joinAs(t, who);
      assert.ok(["pake_failed", "bond_tag_mismatch"].includes(outcome), outcome);
      assert.deepEqual(await alice.bonds(), []);
    }),
  );
  await Promise.all(tests);
  // The same by whoever has the key.
  const { alice, pairing, outcome } = await joinAs(t, () => ({ id, prover: carol }));
  assert.equal(outcome, "bonded");
  assert.deepEqual(
    (await alice.bonds()).map(({ peer }) => peer),
    [id],
  );
  assert.equal((await alice.pairing(pairing)).outcome, "bonded");
});

test("W05_nobody_invites_under_an_id_whose_key_he_has_not", async (t) => {
  const relay = await HostileRelay.start(t, real.url);
  const slots = new Slots(relay);
  const [carol, own] = [freshIdentity(), freshIdentity()];
  const alice = await openHost(t, { relay: relay.url });
  const bob = await openHost(t, { relay: relay.url });
  const tricks: { [how: string]: { signer: Identity; from: Identity; says: Identity; prover?: Identity } } = {
    "an invite that another key signed": { signer: own, from: carol, says: carol },
    "a proposal in another name": { signer: own, from: own, says: carol },
    "no proof": { signer: own, from: own, says: own },
    "a proof by another key": { signer: own, from: own, says: own, prover: carol },
  };
  for (const [how, { signer, from, says, prover }] of Object.entries(tricks)) {
    const { code } = await alice.invite({ timeoutMs: 30_000 });
    const invite = await published(relay, code);
    const session_id = `s${randomBytes(8).toString("hex")}`;
    const hand = new PairingHand("initiator", code, session_id, { id: from.agentId });
    const proposal = { ...invite.proposal, initiatorAgentId: says.agentId };
    const forged = { ...invite, agent_id: from.agentId, session_id, proposal, pake: hand.first };
    slots.claims.set(invite.name, signedInvite(signer, forged));
    slots.put(session_id, hand.first);
    const joining = await bob.join(code, { petname: "alice" });
    if (signer === from && from === says) {
      slots.put(session_id, hand.confirm(await slots.said(session_id, "pake"), prover));
      assert.equal(await outcome(bob, joining), "pake_failed", how);
    } else {
      assert.equal(await outcome(bob, joining), "invalid_invite", how);
    }
    assert.deepEqual([await bob.pendings(), await bob.bonds()], [[], []], how);
  }
});

test("W29_a_relay_cannot_tell_one_side_alone_that_there_is_no_bond", async (t) => {
  const relay = await HostileRelay.start(t, real.url);
  const [alice, bob] = [await openHost(t, { relay: relay.url }), await openHost(t, { relay: relay.url })];
  const { code, pairing } = await alice.invite({ petname: "bob", timeoutMs: 30_000 });
  const { session_id, agent_id } = await published(relay, code);
  const slot = `/pair/${session_id}`;
  let isTold = false;
  relay.instead = ({ method, path, body }) => {
    const isLast =
      method === "POST" && path === slot && `${body}`.includes('"bond_ok"') && `${body}`.includes(agent_id);
    // Bob gets Alice's last word, and Alice hears that he does not want.
    if (isLast) {
      isTold = true;
      fetch(`${real.url}${slot}`, { method, body: `${body}` }).catch(assert.fail);
      return { status: 412 };
    }
    return isTold && method === "GET" && path === slot ? { status: 200, body: '{"phase":"bond_fail"}' } : undefined;
  };
  const joining = await bob.join(code, { petname: "alice" });
  await approveNext(bob, "join");
  assert.equal((await bob.bonded(joining, { timeoutMs: 60_000 })).status, "active");
  assert.ok(isTold);
  assert.equal(await outcome(alice, pairing), "bonded");
  assert.equal((await alice.bonded(pairing, { timeoutMs: 60_000 })).status, "active");
});
