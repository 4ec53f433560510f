import { type Browser, chromium } from "playwright-core";
import type { Afterwards } from "./scratch.ts";

/** How Chromium starts here, as root and without a network. */
export const LAUNCH = {
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
  ],
};

/** A real browser. It ends with the test, or the file. */
export async function launch(t: Afterwards, ...flags: string[]): Promise<Browser> {
  const browser = await chromium.launch({ ...LAUNCH, args: [...LAUNCH.args, ...flags] });
  t.after(() => browser.close());
  return browser;
}
