// How fast the page is there: a newcomer's first visit, in a browser that has nothing of it, and a second one. Nothing
// is asserted. Needs `make build`.
import { median } from "../../npm/bench/measure.mjs";
import { serve } from "../scripts/serve.mjs";
import { buildPage, launch } from "../test/support/stage.ts";

const RUNS = 11;

const cleanups = [];
const t = { after: (work) => cleanups.unshift(work) };
const { server, url } = await serve(buildPage("http://127.0.0.1:3001"));
const browser = await launch(t);

const rows = { first: [], second: [] };
for (let run = 0; run < RUNS; run++) {
  const context = await browser.newContext();
  for (const visit of ["first", "second"]) {
    const page = await context.newPage();
    const begun = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const seen = performance.now();
    // The first thing that somebody does: it has to answer.
    await page.locator('a[href="#/invite"]').first().click();
    await page.locator("form, [aria-busy]").first().waitFor();
    const usable = performance.now();
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
    rows[visit].push([paint, seen - begun, usable - begun]);
    await page.close();
  }
  await context.close();
}
for (const [visit, runs] of Object.entries(rows)) {
  const [paint, seen, usable] = [0, 1, 2].map((column) => median(runs.map((row) => row[column])).toFixed(0));
  console.log(`${visit} visit: first paint ${paint} ms, first view ${seen} ms, first click answered ${usable} ms`);
}
console.log(`medians of ${RUNS}; the last two with what driving a browser takes`);
for (const cleanup of cleanups) await cleanup();
server.closeAllConnections();
server.close();
