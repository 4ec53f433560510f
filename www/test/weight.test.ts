// What the page weighs, and what it asks for before anybody has done anything.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { serve } from "../scripts/serve.mjs";
import { buildPage, LIMIT_MS, launch } from "./support/stage.ts";

/** The most that may load before the first view, compressed, in bytes. */
const FIRST_VIEW = 350 * 1024;
/** The most that a newcomer's first visit loads in all, compressed, in bytes: what encrypts included. */
const FIRST_VISIT = 720 * 1024;

const folder = buildPage("http://127.0.0.1:3001");
const { server, url } = await serve(folder);
after(() => {
  server.closeAllConnections();
  server.close();
});
const browser = await launch({ after });

test("the first view needs little, and the whole page asks nobody but its own host", async (t) => {
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const core = page.waitForResponse(/\.wasm$/, { timeout: LIMIT_MS });
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  // The core comes by itself, once the first view stands.
  await (await core).finished();
  const { painted, resources } = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    resources: performance.getEntriesByType("resource").map(({ name, startTime }) => ({ name, startTime })),
  }));
  assert.ok(painted > 0);
  const weigh = (names: string[]) =>
    names.reduce((sum, name) => sum + gzipSync(readFileSync(fileOf(name)), { level: 9 }).length, 0);
  const before = [url, ...resources.filter(({ startTime }) => startTime < painted).map(({ name }) => name)];
  const all = [url, ...resources.map(({ name }) => name)];
  const [first, whole] = [weigh(before), weigh(all)];
  t.diagnostic(
    `first view ${kib(first)} KiB in ${before.length} files, first visit ${kib(whole)} KiB in ${all.length}`,
  );
  assert.ok(before.some((name) => name.endsWith(".js")) && before.some((name) => name.endsWith(".css")));
  assert.ok(
    all.some((name) => name.endsWith(".wasm")),
    "the core was not loaded",
  );
  assert.ok(first <= FIRST_VIEW, `${first} bytes before the first view`);
  assert.ok(whole <= FIRST_VISIT, `${whole} bytes in all`);
  assert.deepEqual(
    requests.filter((name) => !name.startsWith(url)),
    [],
  );
});

const kib = (bytes: number) => (bytes / 1024).toFixed(0);

function fileOf(name: string): string {
  const { pathname } = new URL(name);
  return join(folder, pathname === "/" ? "index.html" : pathname);
}
