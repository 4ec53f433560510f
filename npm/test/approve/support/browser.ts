import type { TestContext } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { ApprovalPage } from "../../../dist/approve/page-server.js";
import { launch } from "../../support/chromium.ts";
import { openTwo, type Pair, pair } from "../../support/hosts.ts";
import type { Afterwards } from "../../support/scratch.ts";

/** A browser that ends with the file. To it, `evil.example` is this machine. */
export function startBrowser(t: Afterwards): Promise<Browser> {
  return launch(t, "--host-resolver-rules=MAP evil.example 127.0.0.1");
}

/** Text of a peer that tries to become more than text. */
export const HOSTILE = [
  "Fix the price.</div><script>document.title='taken'</script>",
  "<img src=x onerror=\"document.title='taken'\"><button>Approve</button>",
  `right to left: \u202eetorppa\u202c, bell: \u0007, ${"verylongword".repeat(20)}`,
].join("\n");

/** Two hosts, and the page of the first one's human. */
export interface Opened extends Pair {
  approvals: ApprovalPage;
  page: Page;
  /** What the browser complained of. */
  complaints: string[];
}

/** Two hosts, of which Alice's human has the page open. */
export async function open(
  t: TestContext,
  browser: Browser,
  relay: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const two = await pair(...(await openTwo(t, relay)));
  const approvals = await ApprovalPage.start(two.alice);
  t.after(() => approvals.close());
  const context = await browser.newContext(options);
  t.after(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { ...two, approvals, page, complaints };
}

/** Bob opens a negotiation, so that Alice's human is asked. */
export async function openedByBob({ bob, back, alice }: Pair, goal = HOSTILE): Promise<string> {
  await bob.openSession(back.id, {
    goal,
    acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
    budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: ["propose", "accept"], human_required: ["ratify"] },
  });
  const asked = async () => (await alice.pendings()).find(({ subject }) => subject.kind === "open")?.id;
  return alice.until(asked, "the question", { timeoutMs: 60_000 });
}
