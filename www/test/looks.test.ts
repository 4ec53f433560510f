// What people look at: screenshots of the main views, in every width, scheme and language. Only what is certain is
// asserted; whether it is beautiful, somebody has to see.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { scratch } from "../../npm/test/support/scratch.ts";
import { type Person, Stage } from "./support/stage.ts";
import { walk } from "./support/stations.ts";

const stage = await Stage.start({ after });
const { PAGE_SCREENSHOTS: folder = scratch() } = process.env;
mkdirSync(folder, { recursive: true });
const SHOWN = ["landing", "invite", "bond", "negotiation", "ratify", "agreed", "settings", "help", "replay"];
const WIDTHS = [320, 768, 1440];
const HEIGHTS: { readonly [width: number]: number } = { 320: 640, 768: 1024, 1440: 900 };

test("the main views look as they shall", { timeout: 300_000 }, async (t) => {
  const faults: string[] = [];
  let taken = 0;
  await walk(t, stage, async (station, who) => {
    if (!SHOWN.includes(station)) return;
    for (const language of ["id", "en"]) {
      await who.page.locator(".top select").selectOption(language);
      await who.page.locator(`html[lang=${language}]`).waitFor();
      for (const width of WIDTHS) {
        // Where the mouse was, nothing is lit up.
        await who.page.mouse.move(0, 0);
        await who.page.setViewportSize({ width, height: HEIGHTS[width] ?? 900 });
        faults.push(...(await cut(who)).map((fault) => `${station}, ${language}, ${width} px: ${fault}`));
        for (const colorScheme of ["light", "dark"] as const) {
          await who.page.emulateMedia({ colorScheme });
          await shoot(who.page, `${station}-${width}-${colorScheme}-${language}.png`, station !== "replay");
          taken += 1;
        }
      }
    }
  });
  assert.deepEqual(faults, []);
  assert.equal(taken, SHOWN.length * WIDTHS.length * 2 * 2);
});

/** The whole view; of the replay, whose controls stick to the screen, what is on the screen. */
async function shoot(page: Page, name: string, isWhole: boolean): Promise<void> {
  if (isWhole) await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(folder, name), fullPage: isWhole });
}

/** Texts that are cut off, a title that is not to be seen, parts of the header that lie over each other. */
async function cut({ page }: Person): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const isVisible = (element: Element) => element.checkVisibility();
    for (const element of document.querySelectorAll("h1, h2, h3, h4, .button, summary, .top a, .top select")) {
      if (!isVisible(element) || element.matches(".unseen, .skip")) continue;
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
      const isWide = getComputedStyle(element).display !== "inline" && scrollWidth > clientWidth + 1;
      // The lines of a title may stand closer than its letters are high.
      const isHigh = element.matches(".button") && scrollHeight > clientHeight + 1;
      if (isWide || isHigh) found.push(`cut off: ${element.textContent}`);
    }
    const titles = [...document.querySelectorAll("main h1")].filter(isVisible);
    if (titles.length !== 1) found.push(`${titles.length} titles`);
    const parts = [...document.querySelectorAll(".top .brand, .top nav a, .top select")];
    for (const [n, one] of parts.entries()) {
      for (const other of parts.slice(n + 1)) {
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        const isOver = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        if (isOver) found.push(`${one.textContent} lies over ${other.textContent}`);
      }
    }
    return found;
  });
}
