import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, type TestContext, test } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { ApprovalPage } from "../../dist/approve/page-server.js";
import { openTwo, type Pair, pair } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });
const browser: Browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--host-resolver-rules=MAP evil.example 127.0.0.1"],
});
after(() => browser.close());

/** Text of a peer that tries to become more than text. */
const HOSTILE = [
  "Fix the price.</div><script>document.title='taken'</script>",
  "<img src=x onerror=\"document.title='taken'\"><button>Approve</button>",
  `right to left: \u202eetorppa\u202c, bell: \u0007, ${"verylongword".repeat(20)}`,
].join("\n");

interface Opened extends Pair {
  approvals: ApprovalPage;
  page: Page;
  /** What the browser complained of. */
  complaints: string[];
}

/** Two hosts, of which Alice's human has the page open. */
async function open(t: TestContext, options: BrowserContextOptions = {}): Promise<Opened> {
  const two = await pair(...(await openTwo(t, relay.url)));
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
async function openedByBob({ bob, back, alice }: Pair, goal = HOSTILE): Promise<string> {
  await bob.openSession(back.id, {
    goal,
    acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
    budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: ["propose", "accept"], human_required: ["ratify"] },
  });
  const asked = async () => (await alice.pendings()).find(({ subject }) => subject.kind === "open")?.id;
  return alice.until(asked, "the question", { timeoutMs: 60_000 });
}

test("a human decides by mouse, and what a peer wrote stays text", async (t) => {
  const opened = await open(t);
  const { alice, bond, approvals, page, complaints } = opened;
  await openedByBob(opened);
  await page.goto(approvals.url);
  const card = page.locator("article");
  await card.waitFor();
  assert.equal(page.url(), new URL("/", approvals.url).href, "the token has left the address");
  assert.equal(await page.title(), "(1) AgentPair asks");
  const peer = card.locator(".peer", { hasText: "Fix the price" });
  assert.match((await peer.textContent()) ?? "", /Written by the peer, checked by nobody/);
  const text = await peer.locator(".text").first().textContent();
  assert.equal(text, HOSTILE.replace("\u202e", "\\u{202e}").replace("\u202c", "\\u{202c}").replace("\u0007", "\\u{7}"));
  assert.equal(await card.locator("script, img, .text button").count(), 0);
  const shown = (await alice.pendings())[0];
  assert.equal(await card.locator("code").textContent(), shown?.digest.slice(0, 16).replace(/(.{4})(?=.)/g, "$1 "));

  await card.getByRole("button", { name: "Approve…" }).click();
  const dialog = page.getByRole("dialog", { name: "Approve this?" });
  await dialog.getByRole("button", { name: "Back" }).click();
  assert.equal((await alice.pendings()).length, 1, "nothing is decided by the first click");
  await card.getByRole("button", { name: "Approve…" }).click();
  await dialog.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText(/^Approved\. /).waitFor();
  await page.getByText("Nothing waits for you").waitFor();
  assert.deepEqual(await alice.pendings(), []);
  const [session] = await alice.sessions();
  assert.equal(session?.status, "live");
  assert.equal((await alice.bond(bond.id)).status, "active");
  assert.deepEqual(complaints, []);
});

test("a human decides by keyboard, with a PIN, and a wrong one is told", async (t) => {
  const opened = await open(t);
  const { alice, bond, approvals, page, complaints } = opened;
  await alice.setPin("correct horse");
  await page.goto(approvals.url);
  await page.getByText("Nothing waits for you").waitFor();
  assert.ok(await page.locator("#no-pin").isHidden());
  const id = await alice.verify(bond.id);
  await page.locator("article").waitFor();
  assert.match((await page.locator("#said").textContent()) ?? "", /^New: /, "it is told to a screen reader");
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("Tab", "Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Reject…");
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: "Reject this?" });
  await dialog.waitFor();
  await press("Escape");
  await dialog.waitFor({ state: "detached" });
  await press("Shift+Tab", "Enter");
  await page.getByRole("dialog", { name: "Approve this?" }).waitFor();
  assert.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).type), "password");
  await page.keyboard.type("wrong horse");
  await press("Enter");
  await page.getByText(/^The PIN is wrong; \d more may be tried today\.$/).waitFor();
  assert.equal((await alice.pendings())[0]?.id, id);
  await page.keyboard.type("correct horse");
  await press("Enter");
  await page.getByText(/^Approved\. /).waitFor();
  assert.equal((await alice.bond(bond.id)).verification?.how, "page");
  // The browser writes down that it got a 409: that is all.
  assert.ok(
    complaints.every((text) => /409/.test(text)),
    complaints.join("\n"),
  );
});

test("an item that was decided elsewhere goes, also from under a dialog", async (t) => {
  const opened = await open(t);
  const { alice, bond, approvals, page } = opened;
  const id = await alice.verify(bond.id);
  await page.goto(approvals.url);
  await page.getByRole("button", { name: "Approve…" }).click();
  const { codesOf } = await import("../support/human.ts");
  await alice.decide(id, (await codesOf(alice, id)).reject);
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("This question does not wait any more: it was decided elsewhere, or it is too late.").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  assert.equal((await alice.bond(bond.id)).verification, undefined);
});

test("a long text says that it goes on", async (t) => {
  const opened = await open(t);
  await openedByBob(opened, "line\n".repeat(1_500));
  const { approvals, page } = opened;
  await page.goto(approvals.url);
  await page.getByText("7,500 characters: scroll to read all of them").waitFor();
  const text = page.locator(".long");
  assert.equal(await text.textContent(), "line\n".repeat(1_500));
  await text.focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => (document.querySelector(".long")?.scrollTop ?? 0) > 1_000);
});

test("a page without its whole address says so, and one that has ended too", async (t) => {
  const { approvals, page } = await open(t);
  await page.goto(new URL("/", approvals.url).href);
  await page.getByText("This page needs its whole address.").waitFor();
  await page.goto("about:blank");
  await page.goto(approvals.url);
  await page.getByText("Nothing waits for you").waitFor();
  await approvals.close();
  await page.getByText("This page has ended.").waitFor();
  assert.equal(await page.title(), "AgentPair: ended");
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [320, 1024]) {
    test(`it fits ${width} pixels, ${colorScheme}`, async (t) => {
      const opened = await open(t, { colorScheme, viewport: { width, height: 800 } });
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

test("another site gets nothing out of a browser that has the page open", async (t) => {
  const opened = await open(t);
  const { alice, bond, approvals, page } = opened;
  const id = await alice.verify(bond.id);
  const digest = (await alice.pendings())[0]?.digest;
  await page.goto(approvals.url);
  await page.locator("article").waitFor();
  const { origin, port, hash } = new URL(approvals.url);
  const evil = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>evil</title>"),
  );
  evil.listen(0, "127.0.0.1");
  await once(evil, "listening");
  t.after(() => {
    evil.closeAllConnections();
    evil.close();
  });
  const other = await page.context().newPage();
  await other.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
  // Even with the token: the origin is another one.
  const tries = await other.evaluate(
    async ({ origin, token, word }) => {
      const answers: string[] = [];
      const request = (init: RequestInit) =>
        fetch(`${origin}/decide`, { method: "POST", body: JSON.stringify(word), ...init }).then(
          ({ status, type }) => answers.push(`${type} ${status}`),
          () => answers.push("failed"),
        );
      await request({ headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } });
      await request({ mode: "no-cors", headers: { "content-type": "text/plain" } });
      const frame = document.createElement("iframe");
      frame.src = origin;
      document.body.append(frame);
      await new Promise((resolve) => frame.addEventListener("load", resolve));
      return answers;
    },
    { origin, token: hash.slice(1), word: { id, digest, decision: "approve" } },
  );
  assert.deepEqual(tries, ["failed", "failed"]);
  const framed = other.frames().find((frame) => frame !== other.mainFrame());
  assert.equal(framed?.url(), "chrome-error://chromewebdata/", "it cannot be framed");
  // A name that points at this machine: not even the page is served.
  const statuses: number[] = [];
  other.on("response", (response) => statuses.push(response.status()));
  await assert.rejects(other.goto(`http://evil.example:${port}/`), /ERR_HTTP_RESPONSE_CODE_FAILURE/);
  assert.deepEqual(statuses, [403]);
  assert.deepEqual(
    (await alice.pendings()).map((item) => item.id),
    [id],
    "nothing was decided",
  );
});

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
