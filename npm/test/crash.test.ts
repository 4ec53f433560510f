import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type FeedItem, verifyReceipt } from "agentpair";
import { DELIVERABLE, terms } from "./support/order.ts";
import { Relay } from "./support/relay.ts";
import { Remote } from "./support/remote.ts";
import { scratch } from "./support/scratch.ts";

type Point = "after the claim" | "after the first signature" | "between the two ratifications";

/** The people and machines of one run. */
interface Cast {
  alice: Remote;
  bob: Remote;
  relay: Relay;
}

/**
 * From an invite to an agreement that both humans ratified, with a chance to crash in between. Returns what each side
 * then has in its feed, each event as often as it is there.
 */
async function agree(t: TestContext, crash: (cast: Cast, point: Point) => Promise<void>) {
  const relay = await Relay.start(t);
  const [alice, bob] = ["Alice", "Bob"].map(
    (label) => new Remote(t, { dataDir: join(scratch(), "data"), relay: relay.url, label }),
  ) as [Remote, Remote];
  const cast = { alice, bob, relay };

  const { pairing, code } = await alice.call("invite", { petname: "bob", timeoutMs: 30_000 });
  const joining = await bob.call("join", code, { petname: "alice" });
  const claimed = async () => (await bob.call("pairing", joining)).step !== "claiming" || undefined;
  await bob.until(claimed, "the claim");
  await crash(cast, "after the claim");
  await bob.approve("join");
  const bonded = (host: Remote, id: string) =>
    host.until(async () => {
      const { outcome } = await host.call("pairing", id);
      if (outcome !== undefined && outcome !== "bonded") throw new Error(outcome);
      return (await host.call("bonds")).find(({ status }) => status === "active");
    }, "the bond");
  const [bond, back] = [await bonded(alice, pairing), await bonded(bob, joining)];

  const thread = await alice.call("openSession", bond.id, terms());
  await bob.approve("open");
  const status = (host: Remote, id: string, wanted: string) =>
    host.until(async () => {
      const session = await host.call("session", id, thread);
      return session?.status === wanted ? session : undefined;
    }, wanted);
  await status(alice, bond.id, "live");
  const { sha256 } = await alice.call("turn", bond.id, thread, "propose", "These.", DELIVERABLE);
  const turn = async () => (await bob.call("session", back.id, thread))?.yourTurn || undefined;
  await bob.until(turn, "the turn");
  await bob.call("accept", back.id, thread, sha256, "Agreed.");
  await bob.call("sign", back.id, thread, sha256);
  await crash(cast, "after the first signature");
  const signed = async () => (await alice.call("session", bond.id, thread))?.signedByPeer;
  await alice.until(signed, "the other signature");
  await alice.call("sign", bond.id, thread, sha256);
  await alice.approve("ratify");
  await crash(cast, "between the two ratifications");
  await bob.approve("ratify");

  const ends = [await status(alice, bond.id, "agreed"), await status(bob, back.id, "agreed")];
  assert.equal(ends[0]?.agreement, ends[1]?.agreement);
  const receipt = (await alice.call("receipt", bond.id, thread)) ?? "";
  assert.equal(await bob.call("receipt", back.id, thread), receipt);
  const verified = verifyReceipt(receipt);
  assert.deepEqual([verified.sha256, verified.agreement], [sha256, ends[0]?.agreement]);

  const sides: { [event: string]: number }[] = [];
  for (const [host, id] of [
    [alice, bond.id],
    [bob, back.id],
  ] as const) {
    const turns = await host.call("turns", id, thread);
    assert.deepEqual(
      turns.map(({ n, msgType }) => `${n} ${msgType}`),
      ["1 propose", "2 accept"],
    );
    assert.equal((await host.call("bonds")).length, 1);
    assert.equal((await host.call("sessions")).length, 1);
    // The last acknowledgements may still be on their way.
    await host.until(async () => (await host.call("outbox")).length === 0 || undefined, "the outbox");
    sides.push(tally(await host.call("feed", { limit: 1_000 })));
  }
  return sides;
}

/** How often each event is in a feed, without what differs from run to run. */
function tally(feed: FeedItem[]): { [event: string]: number } {
  const counts: { [event: string]: number } = {};
  for (const { event } of feed) {
    // A relay that was away is told as often as it was noticed.
    if (event.event === "relay_trouble") continue;
    // The peer's acknowledgement may come back before the relay's answer does: then there is only "delivered".
    if (event.event === "delivery" && event.state === "relayed") continue;
    const words = Object.entries(event).filter(([name]) => WORDS.includes(name));
    const text = words.map(([, value]) => value).join(" ");
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}

const WORDS = ["event", "outcome", "status", "cause", "state", "code", "decision", "reason"];

test("W34_a_crash_leaves_no_half_state: a crash at three points hinders no agreement, and doubles nothing", {
  concurrency: true,
}, async (t) => {
  const victims: { [name: string]: (cast: Cast) => Promise<void> } = {
    "the inviting host": ({ alice }) => alice.crash(),
    "the joining host": ({ bob }) => bob.crash(),
    "the relay": ({ relay }) => relay.crash(),
  };
  const undisturbed = agree(t, async () => {});
  const tests = Object.entries(victims).map(([name, crash]) =>
    t.test(name, async (t) => assert.deepEqual(await agree(t, crash), await undisturbed)),
  );
  await Promise.all([undisturbed, ...tests]);
});
