import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type FeedItem, type SessionView, verifyReceipt } from "agentpair";
import { Between, type Match } from "./support/between.ts";
import { DELIVERABLE, terms } from "./support/order.ts";
import { Relay } from "./support/relay.ts";
import { Remote } from "./support/remote.ts";
import { bonded } from "./support/remotes.ts";
import { scratch } from "./support/scratch.ts";

/** The points at which something dies, and whose host does if it is a host: the one that has just acted. */
const POINTS = {
  invite_published: "alice",
  joiner_claimed: "bob",
  pake_exchanged: "alice",
  approved_by_human: "bob",
  first_message_posted: "alice",
  proposal_received: "bob",
  signed_by_both: "alice",
  ratified_by_one: "alice",
} as const;
type Point = keyof typeof POINTS;

/** A request to an inbox with an envelope of that type. */
const envelopeOf =
  (type: string): Match =>
  (line, body) => {
    if (!line.startsWith("POST /inbox/")) return false;
    const { blob } = JSON.parse(body);
    return JSON.parse(Buffer.from(blob, "base64url").toString()).type === type;
  };
const lineOf =
  (start: string): Match =>
  (line) =>
    line.startsWith(start);

/** Two hosts on one relay, each behind a proxy of its own, and what befalls them. */
class Stage {
  readonly alice: Remote;
  readonly bob: Remote;
  readonly #proxies: { [name in "alice" | "bob"]: Between };
  readonly #relay: Relay;
  readonly #point: Point | undefined;
  readonly #victim: "host" | "workerd";
  #deaths = 0;

  constructor(t: TestContext, proxies: [Between, Between], relay: Relay, point?: Point, victim?: "host" | "workerd") {
    this.#proxies = { alice: proxies[0], bob: proxies[1] };
    this.#relay = relay;
    this.#point = point;
    this.#victim = victim ?? "host";
    const host = (name: "alice" | "bob") =>
      new Remote(t, { dataDir: join(scratch(), "data"), relay: this.#proxies[name].url, label: name });
    this.alice = host("alice");
    this.bob = host("bob");
  }

  /** Whether what was to die has died. */
  get isOver(): boolean {
    return this.#deaths === (this.#point === undefined ? 0 : 1);
  }

  /** Here something dies, if this is the point. */
  async at(point: Point): Promise<void> {
    if (point !== this.#point) return;
    this.#deaths += 1;
    const name = POINTS[point];
    if (this.#victim === "host") await this[name].crash();
    else await this.#relay.crash();
    // Whoever still waits for an answer that was lost waits no longer.
    this.#proxies[name].hangUp();
  }

  /**
   * Does something that makes a host send a request. If this is the point, the relay has answered it when something
   * dies, and the host has not got the answer. What was done has to be looked up afterwards: the process that did it
   * may be gone.
   */
  async during(point: Point, matches: Match, act: () => Promise<unknown>): Promise<void> {
    if (point !== this.#point) {
      await act();
      return;
    }
    const answered = this.#proxies[POINTS[point]].lose(matches);
    const acting = act().catch(() => {});
    await answered;
    await this.at(point);
    await acting;
  }
}

const numbers = (prefix: string) => [1, 2, 3].map((n) => `${prefix} ${n}`);

/** From an invite to an agreement that both humans ratified. Returns what each side's feed tells, and how often. */
async function agree(stage: Stage) {
  const { alice, bob } = stage;
  await stage.during("invite_published", lineOf("PUT /invite/"), () =>
    alice.call("invite", { petname: "bob", timeoutMs: 30_000 }),
  );
  const invite = await alice.until(async () => (await alice.call("pairings")).find(({ code }) => code), "the code");
  const join = () => bob.call("join", invite.code ?? "", { petname: "alice" });
  // The inviting host's first message in the slot: it has the joiner's, and the keys agree.
  await stage.during("pake_exchanged", lineOf("POST /pair/"), () =>
    stage.during("joiner_claimed", lineOf("POST /invite/"), join),
  );
  // Only when there is a question, the joiner's next message in the slot is its human's consent.
  await bob.until(async () => (await bob.call("pendings"))[0], "the question");
  await stage.during("approved_by_human", lineOf("POST /pair/"), () => bob.approve("join"));
  const [joining] = await bob.call("pairings");
  const [bond, back] = await Promise.all([bonded(alice, invite.id), bonded(bob, joining?.id ?? "")]);
  assert.deepEqual([bond.own, bond.peer, bond.keysDigest], [back.peer, back.own, back.keysDigest]);
  if (stage.isOver) {
    // It takes half a second of a processor, and follows from both ids: where they were made under way it is compared.
    const [number, again] = await Promise.all([alice.call("safetyNumber", bond.id), bob.call("safetyNumber", back.id)]);
    assert.deepEqual(number, again);
  }

  const send = (host: Remote, bond: string, body: string) => host.call("send", bond, body, { thread: "hello" });
  const [first = "", ...rest] = numbers("from Alice");
  await stage.during("first_message_posted", envelopeOf("core.msg"), () => send(alice, bond.id, first));
  for (const body of rest) await send(alice, bond.id, body);
  for (const body of numbers("from Bob")) await send(bob, back.id, body);

  const open = async () => (await alice.call("sessions"))[0]?.thread;
  await alice.call("openSession", bond.id, terms());
  const thread = (await open()) ?? "";
  await bob.approve("open");
  const session = (host: Remote, bond: string, what: string, holds: (session: SessionView) => boolean | undefined) =>
    host.until(async () => {
      const session = await host.call("session", bond, thread);
      if (session?.status === "ended") throw new Error(session.reason);
      return session && holds(session) ? session : undefined;
    }, what);
  await session(alice, bond.id, "the session", ({ status }) => status === "live");
  const { sha256 } = await alice.call("turn", bond.id, thread, "propose", "These.", DELIVERABLE);
  await session(bob, back.id, "the proposal", ({ yourTurn }) => yourTurn);
  await stage.at("proposal_received");
  await bob.call("accept", back.id, thread, sha256, "Agreed.");
  await bob.call("sign", back.id, thread, sha256);
  await session(alice, bond.id, "the other signature", ({ signedByPeer }) => signedByPeer !== undefined);
  await stage.during("signed_by_both", envelopeOf("nego.signed"), () => alice.call("sign", bond.id, thread, sha256));
  await session(bob, back.id, "both signatures", ({ status }) => status === "signed");
  await stage.during("ratified_by_one", envelopeOf("nego.ratified"), () => alice.approve("ratify"));
  await bob.approve("ratify");
  assert.ok(stage.isOver, "nothing has died");

  const sides = [
    { host: alice, bond: bond.id, heard: numbers("from Bob") },
    { host: bob, bond: back.id, heard: numbers("from Alice") },
  ];
  const receipts: string[] = [];
  const tallies: { [event: string]: number }[] = [];
  for (const { host, bond, heard } of sides) {
    await session(host, bond, "the agreement", ({ status }) => status === "agreed");
    receipts.push((await host.call("receipt", bond, thread)) ?? "");
    const turns = await host.call("turns", bond, thread);
    assert.deepEqual(
      turns.map(({ n, msgType }) => `${n} ${msgType}`),
      ["1 propose", "2 accept"],
    );
    assert.deepEqual([(await host.call("bonds")).length, (await host.call("sessions")).length], [1, 1]);
    // The last acknowledgements may still be on their way.
    await host.until(async () => (await host.call("outbox")).length === 0 || undefined, "the outbox");
    const feed = await host.call("feed", { limit: 1_000 });
    assert.deepEqual(
      feed.flatMap(({ event }) => (event.event === "message" ? [event.body] : [])),
      heard,
    );
    tallies.push(tally(feed));
  }
  assert.equal(receipts[0], receipts[1]);
  const receipt = verifyReceipt(receipts[0] ?? "");
  assert.deepEqual([receipt.sha256, receipt.initiator, receipt.recipient], [sha256, bond.own, bond.peer]);
  return tallies;
}

/** How often each event is in a feed, without what differs from run to run. */
function tally(feed: FeedItem[]): { [event: string]: number } {
  const counts: { [event: string]: number } = {};
  let isUnreachable = false;
  for (const { event } of feed) {
    // A relay that was away is told as often as it was noticed.
    if (event.event === "relay_trouble") continue;
    // So is a peer whose inbox was not registered yet when the first envelope came.
    if (event.event === "bond_changed") {
      const wasUnreachable = isUnreachable;
      isUnreachable = event.status === "unreachable";
      if (isUnreachable || wasUnreachable) continue;
    }
    // The peer's acknowledgement may come back before the relay's answer does: then there is only "delivered".
    if (event.event === "delivery" && event.state === "relayed") continue;
    const words = Object.entries(event).filter(([name]) => WORDS.includes(name));
    const text = words.map(([, value]) => value).join(" ");
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}

const WORDS = ["event", "outcome", "status", "cause", "state", "code", "decision", "reason"];

test("whatever dies, and when, all ends as if nothing had died", { concurrency: 2 }, async (t) => {
  const points = Object.keys(POINTS) as Point[];
  const pairOfProxies = async (t: TestContext) =>
    [await Between.start(t), await Between.start(t)] as [Between, Between];
  // Where only hosts die, one relay will do.
  const proxies = await Promise.all([undefined, ...points].map(() => pairOfProxies(t)));
  const shared = await Relay.start(t, ...proxies.flat());
  const undisturbed = agree(new Stage(t, proxies.shift() ?? assert.fail(), shared));
  const tests = points.flatMap((point) => [
    t.test(`${point}: the host of ${POINTS[point]} is killed`, async (t) => {
      const stage = new Stage(t, proxies.shift() ?? assert.fail(), shared, point, "host");
      assert.deepEqual(await agree(stage), await undisturbed);
    }),
    t.test(`${point}: workerd is killed`, async (t) => {
      const own = await pairOfProxies(t);
      const stage = new Stage(t, own, await Relay.start(t, ...own), point, "workerd");
      assert.deepEqual(await agree(stage), await undisturbed);
    }),
  ]);
  await Promise.all([undisturbed, ...tests]);
});
