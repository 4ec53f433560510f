import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Relay } from "../support/relay.ts";
import { open, openedByBob, startBrowser } from "./support/browser.ts";

/** One of each for all tests of this file. */
const { url: relay } = await Relay.start({ after });
const browser = await startBrowser({ after });

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [320, 1024]) {
    test(`it fits ${width} pixels, ${colorScheme}`, async (t) => {
      const opened = await open(t, browser, relay, { colorScheme, viewport: { width, height: 800 } });
      const { alice, bond, approvals, page } = opened;
      await openedByBob(opened);
      await alice.verify(bond.id);
      await page.goto(approvals.url);
      await page.locator("article").nth(1).waitFor();
      const fits = () => page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 9_999) <= innerWidth);
      assert.ok(await fits());
      const folder = process.env.SCREENSHOTS;
      if (folder) await page.screenshot({ path: `${folder}/list-${width}-${colorScheme}.png`, fullPage: true });
      for (const [title, name] of [
        ["Approve this?", "Approve…"],
        ["Reject this?", "Reject…"],
      ] as const) {
        await page.getByRole("button", { name }).first().click();
        const dialog = page.getByRole("dialog", { name: title });
        const box = await dialog.boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= width, title);
        if (folder) await page.screenshot({ path: `${folder}/${name.slice(0, 6)}-${width}-${colorScheme}.png` });
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
      // Text against what is behind it: 4.5 to 1 or better, everywhere.
      assert.deepEqual(await page.evaluate(pale), []);
    });
  }
}

/** In the page: texts with less contrast than 4.5 to 1. */
function pale(): string[] {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color: string) => {
    const [r = 0, g = 0, b = 0] = channels(color).map((c) => {
      const part = c / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one: Element | null): string => {
    if (!one) return "rgb(255, 255, 255)";
    const { backgroundColor } = getComputedStyle(one);
    return channels(backgroundColor)[3] === 0 ? behind(one.parentElement) : backgroundColor;
  };
  return [...document.querySelectorAll("body *")]
    .filter((one) => [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()))
    .filter((one) => {
      const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x) as [number, number];
      return (a + 0.05) / (b + 0.05) < 4.5;
    })
    .map((one) => `${one.tagName}.${one.className}: ${one.textContent?.slice(0, 40)}`);
}
