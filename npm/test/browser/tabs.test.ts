import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page, WebSocket } from "playwright-core";
import { launch } from "../support/chromium.ts";
import { messages, openHost, received } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { crash, profile, tab } from "./support/chrome.ts";
import { LONGEST_MS, longestTask } from "./support/long-tasks.ts";
import { NodeParty, Party, pairSides } from "./support/party.ts";
import { Site } from "./support/site.ts";

/** One of each for all tests of this file. */
const { url: relay } = await Relay.start({ after });
const site = await Site.start({ after }, [relay]);
const browser = await launch({ after });

/** The connections to relays that a tab has now. */
function connectionsOf(page: Page): Set<WebSocket> {
  const open = new Set<WebSocket>();
  page.on("websocket", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  return open;
}

/** A tab with a host, and its connections. */
async function open(context: Parameters<typeof tab>[0]) {
  const page = await tab(context, site.origin);
  const connections = connectionsOf(page);
  const party = await Party.open(page, { relay, label: "Alice" });
  const heard = async (text: string) => {
    const feed = await party.call("feed", { limit: 1_000 });
    return feed.some(({ event }) => event.event === "message" && event.body === text) ? true : undefined;
  };
  const hears = (text: string) => party.until(() => heard(text), text);
  return { page, connections, party, hears };
}

test("one of several tabs holds the network; another takes over when it is closed, and when it crashes", async (t) => {
  const context = await profile(t, browser);
  const bob = await openHost(t, { relay, label: "Bob" });
  const first = await open(context);
  const { bond, back } = await pairSides(first.party, new NodeParty(bob));
  const second = await open(context);
  await second.party.call("send", bond.id, "from the second tab");
  assert.deepEqual(await received(bob, 1), ["from the second tab"]);
  await bob.send(back.id, "one");
  await Promise.all([first.hears("one"), second.hears("one")]);
  assert.equal(first.connections.size, 1);
  assert.equal(second.connections.size, 0, "only one of them is connected");

  await first.page.close();
  await bob.send(back.id, "two");
  const closedAt = Date.now();
  await second.hears("two");
  assert.ok(Date.now() - closedAt < 10_000, "it does not wait for the end of a lease");
  assert.equal(second.connections.size, 1);

  const third = await open(context);
  await crash(second.page);
  await bob.send(back.id, "three");
  const crashedAt = Date.now();
  await third.hears("three");
  assert.ok(Date.now() - crashedAt < 10_000);
  assert.equal(third.connections.size, 1);
  await third.party.call("send", bond.id, "from the third");
  assert.deepEqual(await received(bob, 2), ["from the second tab", "from the third"]);
  assert.deepEqual(await messages(bob), ["from the second tab", "from the third"], "nothing came twice");
  assert.deepEqual(await third.party.problems(), []);
});

test("without Web Locks a tab waits for the end of the lease", async (t) => {
  const context = await profile(t, browser);
  await context.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
  const bob = await openHost(t, { relay, label: "Bob" });
  const first = await open(context);
  const { bond } = await pairSides(first.party, new NodeParty(bob));
  const second = await open(context);
  assert.equal(await second.page.evaluate(() => navigator.locks), undefined);
  // Not the time of a lease of 15 s: the end that stands in the store is what counts.
  await crash(first.page);
  await second.page.evaluate(async () => {
    const store = await globalThis.agentpair.IndexedDbStore.open("agentpair");
    await store.transact(undefined, (transaction) => {
      const { lease } = transaction;
      if (lease) transaction.setLease({ ...lease, until: Date.now() - 1 });
    });
    await store.close();
  });
  await second.party.call("send", bond.id, "after the end of the lease");
  assert.deepEqual(await received(bob, 1), ["after the end of the lease"]);
});

test("questions are decided in either tab, and no attempt is spent when they race", async (t) => {
  const context = await profile(t, browser);
  const bob = await openHost(t, { relay, label: "Bob" });
  const [one, other] = [(await open(context)).party, (await open(context)).party];
  const { bond } = await pairSides(one, new NodeParty(bob));
  const ask = async (by: Party) => {
    await by.call("brake", bond.id, "too many words");
    const { id, digest } = await other.question("continue");
    return { id, digest };
  };
  for (const [asks, decides] of [
    [one, other],
    [other, one],
    [one, one],
  ] as const) {
    const shown = await ask(asks);
    assert.equal(await decides.call("decideHere", shown, "approve"), "approve");
    for (const party of [one, other]) assert.deepEqual(await party.call("pendings"), []);
  }
  const shown = await ask(one);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "decided",
      (error: Error) => error.message,
    );
  const altered = { ...shown, digest: "0".repeat(64) };
  assert.match(await codeOf(other.call("decideHere", altered, "approve")), /does not wait any more/);
  assert.equal((await one.call("pendings")).length, 1, "nothing is decided that was not shown");
  // At the same moment, with one word and the other.
  const race = (party: Party, decision: "approve" | "reject", shown: { id: string; digest: string }) =>
    codeOf(party.call("decideHere", shown, decision));
  let waiting = shown;
  for (let round = 0; round < 8; round++) {
    const outcomes = await Promise.all([race(one, "approve", waiting), race(other, "reject", waiting)]);
    assert.equal(outcomes.filter((outcome) => outcome === "decided").length, 1, outcomes.join("\n"));
    assert.equal(outcomes.filter((outcome) => /does not wait any more/.test(outcome)).length, 1, outcomes.join("\n"));
    waiting = await ask(round % 2 === 0 ? other : one);
  }
  // The codes of the list that a tab has are never in the way.
  await Promise.all([one.call("reissue", waiting.id), other.call("reissue", waiting.id)]);
  assert.equal(await one.call("decideHere", waiting, "reject"), "reject");
  const acts = (await one.call("audit", { limit: 1_000 })).map(({ act }) => act);
  assert.equal(acts.filter((act) => act === "human_decided").length, 3 + 8 + 1);
  assert.ok(!acts.includes("wrong_code"), "no attempt was spent");
  assert.deepEqual([await one.problems(), await other.problems()], [[], []]);
});

test("a PIN is asked for in each tab, a wrong one is counted, and the page goes on meanwhile", async (t) => {
  const context = await profile(t, browser);
  const bob = await openHost(t, { relay, label: "Bob" });
  const [one, other] = [(await open(context)).party, (await open(context)).party];
  const { bond } = await pairSides(one, new NodeParty(bob));
  // A good third of a second each time, somewhere else.
  const setting = await longestTask(one.page, () => one.call("setPin", "correct horse"));
  assert.ok(setting <= LONGEST_MS, `${setting} ms`);
  await one.call("brake", bond.id, "too many words");
  const { id, digest } = await other.question("continue");
  const codeOf = (pin?: string) =>
    other.page.evaluate(([shown, pin]) => host.decideHere(shown, "approve", { pin }).catch(({ code }) => code), [
      { id, digest },
      pin,
    ] as const);
  assert.equal(await codeOf(), "pin_required");
  const longest = await longestTask(other.page, async () => {
    assert.equal(await codeOf("wrong horse"), "invalid_pin");
    assert.equal(await codeOf("correct horse"), "approve");
  });
  assert.ok(longest <= LONGEST_MS, `${longest} ms`);
  await other.call("removePin", "correct horse");
  const acts = (await one.call("audit", { limit: 1_000 })).map(({ act }) => act);
  assert.equal(acts.filter((act) => act === "wrong_pin").length, 1);
  assert.deepEqual([await one.problems(), await other.problems()], [[], []]);
});
