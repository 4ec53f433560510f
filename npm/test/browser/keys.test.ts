import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Identity, restore, safetyNumber } from "agentpair";
import { chromium } from "playwright-core";
import { LAUNCH, launch } from "../support/chromium.ts";
import { scratch } from "../support/scratch.ts";
import { needles, PASSPHRASE, storedKeys } from "../vault/support/keys.ts";
import { profile, tab } from "./support/chrome.ts";
import { LONGEST_MS, longestTask } from "./support/long-tasks.ts";
import { Site } from "./support/site.ts";

/** One of each for all tests of this file. To the browser, `plain.example` is this machine. */
const site = await Site.start({ after });
const browser = await launch({ after }, "--host-resolver-rules=MAP plain.example 127.0.0.1");

/** All files of a profile. */
function bytesOf(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return Buffer.concat(files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)));
}

test("no key lies in the clear: neither in the rows, nor in the files of the browser", async () => {
  const folder = scratch();
  const context = await chromium.launchPersistentContext(join(folder, "profile"), LAUNCH);
  let found: { rows: string; file: number[]; wrapping: unknown };
  try {
    const page = await tab(context, site.origin);
    found = await page.evaluate(async (passphrase) => {
      const { Host, backup } = globalThis.agentpair;
      const host = await Host.open({ label: "Alice, in the clear", network: false });
      await host.join("65-eternal-academy-vendor", { relay: "http://127.0.0.1:9" });
      const file = await backup(host, passphrase);
      await host.close();
      const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await resultOf(indexedDB.open("agentpair"));
      const transaction = database.transaction(database.objectStoreNames);
      const rows: unknown[] = [];
      for (const name of database.objectStoreNames) rows.push(await resultOf(transaction.objectStore(name).getAll()));
      const { wrapping } = await resultOf(database.transaction("meta").objectStore("meta").get("vault"));
      const exports = [];
      for (const format of ["raw", "jwk"] as const) {
        exports.push(
          await crypto.subtle.exportKey(format, wrapping).then(
            () => "exported",
            ({ name }) => name,
          ),
        );
      }
      const { extractable, usages, algorithm } = wrapping as CryptoKey;
      database.close();
      return {
        rows: JSON.stringify(rows),
        file: Array.from(new Uint8Array(await file.arrayBuffer())),
        wrapping: { extractable, usages, algorithm, exports },
      };
    }, PASSPHRASE);
  } finally {
    await context.close();
  }
  assert.deepEqual(found.wrapping, {
    extractable: false,
    usages: ["encrypt", "decrypt"],
    algorithm: { name: "AES-GCM", length: 256 },
    exports: ["InvalidAccessError", "InvalidAccessError"],
  });
  // Only a backup gives the keys: Node tells which they are.
  writeFileSync(join(folder, "backup"), Buffer.from(found.file));
  await restore(join(folder, "backup"), join(folder, "restored"), PASSPHRASE);
  const stored = storedKeys(join(folder, "restored"));
  const secrets = needles(stored);
  assert.ok(stored.length >= 1 && secrets.length >= 2, `${stored.length} keys`);
  const files = bytesOf(join(folder, "profile"));
  for (const [place, bytes] of [
    ["rows", Buffer.from(found.rows)],
    ["files", files],
  ] as const) {
    assert.ok(bytes.includes("in the clear"), `${place}: what is no key can be found there`);
    assert.ok(!secrets.some((secret) => bytes.includes(secret)), place);
    // As IndexedDB keeps a text that is not Latin-1.
    assert.ok(!secrets.some((secret) => bytes.includes(Buffer.from(secret.toString(), "utf16le"))), place);
  }
  assert.match(found.rows, /"key":"secret\/root","rev":\d+,"value":"sealed1:/);
});

test("two tabs that make a store at the same moment have one key", async (t) => {
  const context = await profile(t, browser);
  const tabs = await Promise.all([tab(context, site.origin), tab(context, site.origin)]);
  for (let round = 0; round < 5; round++) {
    const ids = await Promise.all(
      tabs.map((page) =>
        page.evaluate(async (name) => {
          const host = await globalThis.agentpair.Host.open({ name, network: false });
          const { agentId } = await host.me();
          await host.close();
          return agentId;
        }, `round-${round}`),
      ),
    );
    assert.equal(ids[0], ids[1]);
  }
});

test("a page that came by plain http gets no store, and is told why", async (t) => {
  const page = await tab(await profile(t, browser), site.origin.replace("127.0.0.1", "plain.example"));
  const found = await page.evaluate(async () => {
    const error = await globalThis.agentpair.Host.open({ network: false }).catch((error) => error);
    return {
      isSecureContext,
      code: error.code,
      message: error.message,
      exists: await globalThis.agentpair.Host.exists(),
    };
  });
  assert.equal(found.isSecureContext, false);
  assert.equal(found.code, "storage_unavailable");
  assert.match(found.message, /open it by https/);
  assert.equal(found.exists, false);
});

const [own, peer] = [1, 2].map((byte) => Identity.fromSeed(new Uint8Array(32).fill(byte)).agentId) as [string, string];

test("the safety number is that of Node, the page goes on meanwhile, and the core is not fetched again", async (t) => {
  const site = await Site.start(t, [], { isCached: false });
  const page = await tab(await profile(t, browser), site.origin);
  await page.evaluate(() => globalThis.agentpair.init());
  const compute = () =>
    page.evaluate(
      async ([own, peer]) => {
        let turns = 0;
        let isDone = false;
        const count = () => {
          turns += 1;
          if (!isDone) setTimeout(count, 10);
        };
        count();
        const number = await globalThis.agentpair.safetyNumber(own, peer);
        isDone = true;
        return { number, turns };
      },
      [own, peer] as const,
    );
  const expected = await safetyNumber(own, peer);
  const longest = await longestTask(page, async () => {
    const { number, turns } = await compute();
    assert.deepEqual(number, expected);
    assert.ok(turns > 5, `${turns} turns of the page`);
  });
  assert.ok(longest <= LONGEST_MS, `${longest} ms`);
  const cores = site.asked.filter((path) => path.endsWith(".wasm"));
  assert.equal(cores.length, 1, site.asked.join("\n"));
  // The watch sees what it should see.
  const block = () =>
    new Promise<void>((resolve) => {
      setTimeout(() => {
        let sum = 0;
        for (let n = 0; n < 300_000_000; n++) sum += n % 7;
        document.title = String(sum);
        resolve();
      });
    });
  assert.ok((await longestTask(page, () => page.evaluate(block))) > LONGEST_MS);
});

test("where no worker can be had, it is said what to do instead", async (t) => {
  const site = await Site.start(t);
  const context = await profile(t, browser);
  await context.route("**/web-worker.js", (route) => route.abort());
  const page = await tab(context, site.origin);
  const found = await page.evaluate(
    async ([own, peer]) => {
      const { Host, backup, init, safetyNumber } = globalThis.agentpair;
      await init();
      const errorOf = (work: Promise<unknown>) =>
        work.then(
          () => "none",
          ({ code, message }) => `${code}: ${message}`,
        );
      const host = await Host.open({ network: false });
      return [
        await errorOf(safetyNumber(own, peer)),
        await errorOf(backup(host, "a passphrase")),
        await errorOf(host.setPin("12345678")),
      ];
    },
    [own, peer] as const,
  );
  assert.match(found[0] ?? "", /^safety_unavailable: .*compare the keys digest \(QR code\) instead/);
  assert.match(found[1] ?? "", /^no_memory: /);
  assert.match(found[2] ?? "", /^no_memory: /);
});
