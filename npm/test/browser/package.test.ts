import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Identity, safetyNumber } from "agentpair";
import { build } from "vite";
import { launch } from "../support/chromium.ts";
import { installed } from "../support/installed.ts";
import { profile } from "./support/chrome.ts";
import { Site } from "./support/site.ts";

/** One of each for all tests of this file. */
const folder = await installed();
const browser = await launch({ after });
const [own, peer] = [1, 2].map((byte) => Identity.fromSeed(new Uint8Array(32).fill(byte)).agentId) as [string, string];

/** What a page does with the package, by whatever name it imports it. */
const script = (from: string) => `
  import { Host, safetyNumber } from ${JSON.stringify(from)};
  const existed = await Host.exists();
  const host = await Host.open({ network: false, label: "me" });
  const { agentId, label } = await host.me();
  const number = await safetyNumber(${JSON.stringify(own)}, ${JSON.stringify(peer)});
  globalThis.told = { existed, agentId, label, number };
`;
const PAGE = `<!doctype html><html lang="en"><title>use</title><script type="module" src="./main.js"></script></html>`;

interface Told {
  existed: boolean;
  agentId: string;
  label: string;
  number: string[];
}

/** Opens a site twice: what it did is there after it was loaded again, and nothing was complained of. */
async function assertWorks(t: Parameters<typeof profile>[0], served: string): Promise<void> {
  const site = await Site.start(t, [], { folder: served });
  const page = await (await profile(t, browser)).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const told = async () => {
    await page.waitForFunction(() => "told" in globalThis).catch((error) => assert.fail(`${error}\n${complaints}`));
    return page.evaluate(() => (globalThis as unknown as { told: Told }).told);
  };
  await page.goto(site.origin);
  const first = await told();
  assert.match(first.agentId, /^ed25519:[\w-]{43}$/);
  assert.deepEqual([first.existed, first.label], [false, "me"]);
  assert.deepEqual(first.number, await safetyNumber(own, peer));
  await page.reload();
  assert.deepEqual(await told(), { ...first, existed: true });
  assert.deepEqual(complaints, []);
  const cores = site.asked.filter((path) => path.endsWith(".wasm"));
  assert.equal(cores.length, 2, "once for each load: the worker is given it");
}

test("a Vite app uses it, worker and all, under a strict policy", async (t) => {
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, "main.js"), script("agentpair"));
  await build({ root: folder, logLevel: "silent", configFile: false, build: { outDir: "built", target: "es2023" } });
  const files = readdirSync(join(folder, "built/assets"));
  assert.equal(files.filter((file) => file.endsWith(".wasm")).length, 1, files.join());
  await assertWorks(t, join(folder, "built"));
});

test("a plain module script uses it, without a bundler, under a strict policy", async (t) => {
  const plain = join(folder, "plain");
  mkdirSync(plain);
  cpSync(join(folder, "node_modules/agentpair/dist"), join(plain, "agentpair"), { recursive: true });
  writeFileSync(join(plain, "index.html"), PAGE);
  writeFileSync(join(plain, "main.js"), script("./agentpair/browser.js"));
  await assertWorks(t, plain);
});
