// Every view in its main states: usable by everybody, in both schemes, on a phone and on a desk, in both languages.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { AxeResults, RunOptions } from "axe-core";
import { axeSource, type Person, Stage } from "./support/stage.ts";
import { walk } from "./support/stations.ts";

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

const stage = await Stage.start({ after });
const source = axeSource();
const WIDTHS = [320, 1440];
const HEIGHT = 900;
/** What depends on the colours; the rest depends on what is drawn, and that on the width. */
const COLOURS = ["color-contrast", "link-in-text-block"];

test("axe finds nothing, and nothing is wider than a phone, at every station", { timeout: 300_000 }, async (t) => {
  const faults: string[] = [];
  const stations = new Set<string>();
  await walk(t, stage, async (station, who) => {
    stations.add(station);
    faults.push(...(await sideways(station, who)), ...(await violations(station, who)));
  });
  assert.deepEqual(faults, []);
  assert.ok(stations.size > 40, `${stations.size} stations`);
});

/** What axe has against it: all of it in the light, and the colours again in the dark. */
async function violations(station: string, { page }: Person): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
      const lines = await page.evaluate(
        async (rules) => {
          const options: RunOptions = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
          const { violations } = await axe.run(options);
          return violations.flatMap(({ id, nodes }) => nodes.map(({ html, target }) => `${id}: ${target} ${html}`));
        },
        colorScheme === "dark" ? COLOURS : undefined,
      );
      found.push(...lines.map((line) => `${station}, ${width} px, ${colorScheme}: ${line}`));
    }
  }
  return found;
}

/** What is wider than a small phone, in each language; the language is English again afterwards. */
async function sideways(station: string, { page }: Person): Promise<string[]> {
  await page.setViewportSize({ width: 320, height: HEIGHT });
  const found: string[] = [];
  for (const language of ["id", "en"]) {
    await page.locator(".top select").selectOption(language);
    await page.locator(`html[lang=${language}]`).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 320) found.push(`${station}, ${language}: ${width} px wide`);
  }
  return found;
}
