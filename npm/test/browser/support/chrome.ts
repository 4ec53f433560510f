import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Afterwards } from "../../support/scratch.ts";
import { LIMIT_MS } from "../../support/within.ts";

/** A profile of its own: it shares nothing with others. It ends with the test. */
export async function profile(t: Afterwards, browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT_MS);
  t.after(() => context.close());
  return context;
}

declare global {
  /** Functions that a test gives to its pages: their policy allows no code but that of their files. */
  var extras: { [name: string]: (...given: unknown[]) => unknown };
}

/**
 * A tab that has the package loaded.
 *
 * @param extras bodies of functions of `stores, put, flipped, other`, by name.
 */
export async function tab(
  context: BrowserContext,
  origin: string,
  extras: { [name: string]: string } = {},
): Promise<Page> {
  const page = await context.newPage();
  const functions = Object.entries(extras).map(
    ([name, body]) => `${JSON.stringify(name)}: (stores, put, flipped, other) => { ${body} }`,
  );
  await page.addInitScript(`globalThis.extras = { ${functions.join()} };`);
  await load(page, origin);
  return page;
}

/** Loads a page, or loads it again. */
export async function load(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await ready(page);
}

/** Waits until a page has the package. */
export async function ready(page: Page): Promise<void> {
  await page.waitForFunction(() => "agentpair" in globalThis, undefined, { polling: 20 });
}

/** Kills what runs a tab, as a crash does. */
export async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  // It has nobody left to answer.
  session.send("Page.crash").catch(() => {});
  await crashed;
}
