import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { LAUNCH, launch } from "../support/chromium.ts";
import { openHost, received } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { profile, tab } from "./support/chrome.ts";
import { NodeParty, Party, pairSides } from "./support/party.ts";
import { Site } from "./support/site.ts";

/** One of each for all tests of this file. */
const { url: relay } = await Relay.start({ after });
const site = await Site.start({ after }, [relay]);
const browser = await launch({ after });

/** What each entrance says where nothing can be stored. */
function refusals(page: Page): Promise<{ code: string; message: string }[]> {
  return page.evaluate(async () => {
    const { Host, restore, wipe } = globalThis.agentpair;
    const errorOf = (work: Promise<unknown>) =>
      work.then(
        () => ({ code: "none", message: "" }),
        ({ code, message }) => ({ code, message }),
      );
    const file = new Blob(["no backup"]);
    return [
      await errorOf(Host.open()),
      await errorOf(Host.exists()),
      await errorOf(restore(file, "some passphrase")),
      await errorOf(wipe()),
    ];
  });
}

function assertUnavailable(errors: { code: string; message: string }[]): void {
  assert.equal(errors.length, 4);
  for (const { code, message } of errors) {
    assert.equal(code, "storage_unavailable", message);
    assert.match(message, /^this browser keeps no data for this page.*: leave private browsing, allow the page/);
  }
}

test("a browser without IndexedDB is told in words", async (t) => {
  const context = await profile(t, browser);
  await context.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { value: undefined }));
  assertUnavailable(await refusals(await tab(context, site.origin)));
});

test("a browser that lets the page store nothing is told in words", async (t) => {
  const folder = scratch();
  mkdirSync(join(folder, "Default"));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(folder, LAUNCH);
  t.after(() => context.close());
  assertUnavailable(await refusals(await tab(context, site.origin)));
});

test("where the space is used up nothing is changed, and it goes on when there is space", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const session = await page.context().newCDPSession(page);
  const { origin } = site;
  // Before anything is stored: the browser remembers for a while how much space it saw.
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 400_000 });
  const alice = await Party.open(page, { relay, label: "Alice" });
  const bob = await openHost(t, { relay });
  const { bond } = await pairSides(alice, new NodeParty(bob));
  const send = () =>
    page.evaluate(
      (bond) =>
        host.send(bond, "x".repeat(600_000)).then(
          () => "sent",
          ({ code, message }) => `${code}: ${message}`,
        ),
      bond.id,
    );
  assert.match(await send(), /^storage_full: .*nothing was changed: free space/);
  assert.deepEqual(
    (await alice.call("outbox")).filter(({ thread }) => thread !== "bond"),
    [],
  );
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  assert.equal(await send(), "sent");
  assert.deepEqual(
    (await received(bob, 1)).map(({ length }) => length),
    [600_000],
  );
});

test("a core that does not come is told in words, and may be tried again", async (t) => {
  const context = await profile(t, browser);
  const page = await tab(context, site.origin);
  await context.setOffline(true);
  const open = () =>
    page.evaluate(() =>
      globalThis.agentpair.Host.open({ network: false }).then(
        (host) => host.close().then(() => "open"),
        ({ code, message }) => `${code}: ${message}`,
      ),
    );
  assert.match(await open(), /^core_failed: the protocol core cannot be loaded \(.+\): look at the connection/);
  await context.setOffline(false);
  assert.equal(await open(), "open");
});

/** What takes the database from under a running host. */
const LOSSES: { [name: string]: { code: string; lose: (page: Page) => Promise<unknown> } } = {
  "another tab wipes it": {
    code: "store_gone",
    lose: async (page) => {
      const other = await tab(page.context(), site.origin);
      await other.evaluate(() => globalThis.agentpair.wipe());
      await other.close();
    },
  },
  "the browser evicts it": {
    code: "store_gone",
    lose: async (page) => {
      const session = await page.context().newCDPSession(page);
      await session.send("Storage.clearDataForOrigin", { origin: site.origin, storageTypes: "all" });
    },
  },
  "a newer version takes it over": {
    code: "store_too_new",
    lose: async (page) => {
      const other = await tab(page.context(), site.origin);
      await other.evaluate(
        () =>
          new Promise<void>((resolve) => {
            const request = indexedDB.open("agentpair", 99);
            request.onsuccess = () => {
              request.result.close();
              resolve();
            };
          }),
      );
    },
  },
};

for (const [name, { code, lose }] of Object.entries(LOSSES)) {
  test(`a running host notices that its store is gone, says so once, and stops: ${name}`, async (t) => {
    const context = await profile(t, browser);
    await context.clock.install();
    const page = await tab(context, site.origin);
    const closed = new Promise<void>((resolve) => {
      page.on("websocket", (socket) => socket.on("close", () => resolve()));
    });
    const alice = await Party.open(page, { relay });
    const bob = new NodeParty(await openHost(t, { relay }));
    const { back } = await pairSides(alice, bob);
    // Somebody who waits is told too.
    await page.evaluate(() => {
      const waiting = host.until(async () => ((await host.me()).feed > 1_000 ? true : undefined), "what never comes");
      Object.assign(globalThis, { waiting: waiting.catch(({ code }) => code) });
    });
    await lose(page);
    await page.waitForFunction(() => problems.length > 0);
    await closed;
    assert.equal(await page.evaluate(() => (globalThis as unknown as { waiting: Promise<string> }).waiting), code);
    await bob.call("send", back.id, "to nobody");
    const asked = await page.evaluate(async () => {
      const codes: string[] = [];
      for (const work of [() => host.me(), () => host.setLabel("x"), () => host.feed()]) {
        await work().catch(({ code }) => codes.push(code));
      }
      return codes;
    });
    assert.deepEqual(asked, [code, code, code]);
    // Longer than it takes until a host looks again: whatever was set is due.
    await page.clock.runFor(10_000);
    assert.deepEqual(await alice.problems(), [code], "told once");
    const left = await page.evaluate(async () => {
      await host.close();
      return { exists: await globalThis.agentpair.Host.exists(), names: (await indexedDB.databases()).length };
    });
    assert.deepEqual(left, code === "store_gone" ? { exists: false, names: 0 } : { exists: true, names: 1 });
  });
}

test("a tab that does not give way keeps a store from being wiped, which is said", async (t) => {
  const context = await profile(t, browser);
  const [page, other] = [await tab(context, site.origin), await tab(context, site.origin)];
  await Party.open(page, { network: false });
  await page.evaluate(() => host.close());
  // As a tab that the browser has put to sleep.
  await other.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const request = indexedDB.open("agentpair");
        request.onsuccess = () => {
          Object.assign(globalThis, { sleeping: request.result });
          request.result.onversionchange = () => (document.title = "asked");
          resolve();
        };
      }),
  );
  await page.clock.install();
  await page.evaluate(() => {
    const wiping = globalThis.agentpair.wipe().catch(({ code, message }) => `${code}: ${message}`);
    Object.assign(globalThis, { wiping });
  });
  await other.waitForFunction(() => document.title === "asked");
  const wiping = page.evaluate(() => (globalThis as unknown as { wiping: Promise<string> }).wiping);
  for (let second = 0; second < 15; second++) await page.clock.runFor(1_000);
  assert.match(await wiping, /^store_in_use: another tab holds the store "agentpair": close all other tabs/);
});

test("how the browser keeps the data can be asked", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  await Party.open(page, { network: false });
  const { persisted, usage, quota } = await page.evaluate(() => globalThis.agentpair.persistence());
  assert.equal(typeof persisted, "boolean");
  assert.ok((usage ?? 0) > 0 && (quota ?? 0) > (usage ?? 0), `${usage} of ${quota}`);
});
