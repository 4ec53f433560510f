import assert from "node:assert/strict";
import { after, test } from "node:test";
import { verifyReceipt } from "agentpair";
import { launch } from "../support/chromium.ts";
import { openHost } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { crash, load, profile, tab } from "./support/chrome.ts";
import { agree, NodeParty, Party, pairSides } from "./support/party.ts";
import { Site } from "./support/site.ts";

/** One of each for all tests of this file. */
const { url: relay } = await Relay.start({ after });
const site = await Site.start({ after }, [relay]);
const browser = await launch({ after });

test("a browser and a host in Node: from invite to receipt", async (t) => {
  const alice = await Party.open(await tab(await profile(t, browser), site.origin), { relay, label: "Alice" });
  const bob = new NodeParty(await openHost(t, { relay, label: "Bob" }));
  const pair = await pairSides(alice, bob);
  assert.equal(pair.back.peerLabel, "Alice");
  const [receipt = "", other = ""] = await agree(alice, bob, pair);
  assert.equal(verifyReceipt(receipt).agreement, verifyReceipt(other).agreement);
  assert.deepEqual(await alice.problems(), []);
  const ways = (await alice.call("audit")).filter(({ act }) => act === "human_decided").map(({ facts }) => facts);
  assert.deepEqual(
    ways.map((facts) => facts?.find(([name]) => name === "channel")?.[1]),
    ["page"],
  );
});

test("two browsers, of which one is loaded anew after every step, or crashes: from invite to receipt", async (t) => {
  const open = async (label: string) => Party.open(await tab(await profile(t, browser), site.origin), { relay, label });
  const [alice, bob] = [await open("Alice"), await open("Bob")];
  const steps: string[] = [];
  const pause = async (step: string) => {
    steps.push(step);
    // By turns; every third time the one crashes while the other is loaded anew.
    const [one, other] = steps.length % 2 === 0 ? [alice, bob] : [bob, alice];
    await one.reload();
    if (steps.length % 3 !== 0) return;
    await crash(other.page);
    await other.reopen(await tab(other.page.context(), site.origin));
  };
  const pair = await pairSides(alice, bob, pause);
  const [receipt = "", other = ""] = await agree(alice, bob, pair, pause);
  assert.ok(steps.length >= 12);
  assert.equal(verifyReceipt(receipt).agreement, verifyReceipt(other).agreement);
  const audits = await alice.page.evaluate(async () => {
    const { verifyAudit } = globalThis.agentpair;
    return verifyAudit(await host.audit({ limit: 1_000 }), await host.auditHead());
  });
  assert.match(audits, /^[0-9a-f]{64}$/);
  assert.deepEqual([await alice.problems(), await bob.problems()], [[], []]);
});

test("a page that goes in the middle of a call loses nothing", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const alice = await Party.open(page, { relay });
  // The call never returns: the page goes as soon as the pairing is stored.
  await page.evaluate(async () => {
    host.invite({ petname: "bob" }).catch(() => {});
    await host.until(async () => (await host.pairings())[0], "the pairing");
  });
  await alice.reload();
  const published = async () => (await alice.call("pairings")).find(({ code }) => code !== undefined);
  const { code } = await alice.until(published, "the invite");
  const bob = new NodeParty(await openHost(t, { relay }));
  await bob.call("join", code ?? "", {});
  await bob.approve("join");
  const active = async () => (await alice.call("bonds")).find(({ status }) => status === "active");
  assert.equal((await alice.until(active, "the bond")).petname, "bob");
});

test("without a relay, it is said that one has to be named; a link names its own", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const found = await page.evaluate(async (relay) => {
    const { Host } = globalThis.agentpair;
    const errorOf = (work: Promise<unknown>) =>
      work.then(
        () => "none",
        ({ code, message }) => `${code}: ${message}`,
      );
    const host = await Host.open();
    const link = await host.invite({ relay, form: "link" });
    const bob = await Host.open({ name: "bob" });
    const all = [
      await errorOf(host.invite()),
      await errorOf(host.join("65-eternal-academy-vendor")),
      await errorOf(host.join("no code at all")),
      await errorOf(Host.open({ relay: "relay.example" })),
      await errorOf(bob.join(link.code)),
    ];
    await bob.close();
    await host.close();
    return [...all, host.relay];
  }, relay);
  assert.match(found[0] ?? "", /^invalid_argument: no relay was named/);
  assert.match(found[1] ?? "", /^invalid_argument: no relay was named/);
  assert.match(found[2] ?? "", /^code_/);
  assert.match(found[3] ?? "", /^invalid_argument: the relay must be a base URL/);
  assert.deepEqual(found.slice(4), ["none", ""]);
});

test("a page that was left and opened again is the same host", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const alice = await Party.open(page, { network: false, label: "Alice" });
  const { agentId } = await alice.call("me");
  await page.goto("about:blank");
  await load(page, site.origin);
  assert.ok(await page.evaluate(() => globalThis.agentpair.Host.exists()));
  await alice.open();
  const again = await alice.call("me");
  assert.deepEqual([again.agentId, again.label], [agentId, "Alice"]);
});
