import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { Between } from "../../../npm/test/support/between.ts";
import { launch } from "../../../npm/test/support/chromium.ts";
import { Relay } from "../../../npm/test/support/relay.ts";
import { type Afterwards, scratch } from "../../../npm/test/support/scratch.ts";
import { LIMIT_MS } from "../../../npm/test/support/within.ts";
import { serve } from "../../scripts/serve.mjs";

const WWW = resolve(import.meta.dirname, "../..");
const VITE = resolve(WWW, "../npm/node_modules/vite/bin/vite.js");

export { LIMIT_MS, launch };

/** Builds the page for some relays, into a folder of its own. */
export function buildPage(...relays: string[]): string {
  const folder = join(scratch(), "page");
  const env = { ...process.env, RELAYS: relays.join(" "), OUT: folder };
  execFileSync(process.execPath, [VITE, "build", "--logLevel", "warn", WWW], { env, stdio: "inherit" });
  return folder;
}

/** The page on its own origin beside a real relay, and a browser. */
export class Stage {
  readonly relay: Relay;
  /** Address of the page. */
  readonly url: string;
  readonly browser: Browser;

  private constructor(relay: Relay, url: string, browser: Browser) {
    this.relay = relay;
    this.url = url;
    this.browser = browser;
  }

  static async start(t: Afterwards, ...flags: string[]): Promise<Stage> {
    const [relay, browser] = await Promise.all([Relay.start(t), launch(t, ...flags)]);
    const { server, url } = await serve(buildPage(relay.url));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return new Stage(relay, url, browser);
  }

  /** With a proxy in front of the relay, and one in front of the page: nothing reaches either by another way. */
  static async behind(t: Afterwards, ...flags: string[]): Promise<{ stage: Stage; toRelay: Between; toPage: Between }> {
    const [toRelay, toPage] = await Promise.all([Between.start(t as TestContext), Between.start(t as TestContext)]);
    const [relay, browser] = await Promise.all([Relay.start(t, toRelay), launch(t, ...flags)]);
    const { server, url } = await serve(buildPage(toRelay.url));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    toPage.target = url.replace(/\/$/, "");
    return { stage: new Stage(relay, `${toPage.url}/`, browser), toRelay, toPage };
  }

  /** Somebody with a browser of their own. `prepare` has it before the page is opened. */
  async person(
    t: Afterwards,
    options: BrowserContextOptions = {},
    prepare: (context: BrowserContext) => Promise<unknown> = async () => {},
  ): Promise<Person> {
    const context = await this.browser.newContext({ locale: "en-GB", ...options });
    context.setDefaultTimeout(LIMIT_MS);
    t.after(() => context.close());
    await prepare(context);
    return Person.open(context, this.url);
  }
}

/** A person in front of the page, and what the browser says that nobody should have to see. */
export class Person {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, refusals by its policy among them. */
  readonly complaints: string[];
  /** Every request that left the page. */
  readonly requests: string[];

  private constructor(context: BrowserContext, page: Page, complaints: string[], requests: string[]) {
    this.context = context;
    this.page = page;
    this.complaints = complaints;
    this.requests = requests;
  }

  static async open(context: BrowserContext, url: string): Promise<Person> {
    const page = await context.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      // What a relay refuses, the browser logs too: 404 and 409 are part of the protocol.
      const isAnswer = /Failed to load resource: the server responded/.test(message.text());
      if (["error", "warning"].includes(message.type()) && !isAnswer) complaints.push(message.text());
    });
    page.on("request", (request) => requests.push(request.url()));
    page.on("websocket", (socket) => requests.push(socket.url()));
    await page.goto(url);
    return new Person(context, page, complaints, requests);
  }

  /** Presses what has that name. */
  press(name: string | RegExp): Promise<void> {
    return this.page.getByRole("button", { name }).first().click();
  }

  /** Follows a link of that name. */
  follow(name: string | RegExp): Promise<void> {
    return this.page.getByRole("link", { name }).first().click();
  }

  /** Types into the field of that label. */
  type(label: string | RegExp, text: string): Promise<void> {
    return this.page.getByLabel(label).first().fill(text);
  }

  /** Waits until something is to be read. */
  reads(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  /** Waits until a heading is there. */
  heading(name: string | RegExp): Promise<void> {
    return this.page.getByRole("heading", { name }).first().waitFor();
  }
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The source of axe-core: evaluated, since the page's policy lets no script of others in. */
export function axeSource(): string {
  return readFileSync(AXE, "utf8");
}
