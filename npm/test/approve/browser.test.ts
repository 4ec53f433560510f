import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Relay } from "../support/relay.ts";
import { HOSTILE, open, openedByBob, startBrowser } from "./support/browser.ts";

/** One of each for all tests of this file. */
const { url: relay } = await Relay.start({ after });
const browser = await startBrowser({ after });

test("a human decides by mouse, and what a peer wrote stays text", async (t) => {
  const opened = await open(t, browser, relay);
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
  const opened = await open(t, browser, relay);
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
  const opened = await open(t, browser, relay);
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
  const opened = await open(t, browser, relay);
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
  const { approvals, page } = await open(t, browser, relay);
  await page.goto(new URL("/", approvals.url).href);
  await page.getByText("This page needs its whole address.").waitFor();
  await page.goto("about:blank");
  await page.goto(approvals.url);
  await page.getByText("Nothing waits for you").waitFor();
  await approvals.close();
  await page.getByText("This page has ended.").waitFor();
  assert.equal(await page.title(), "AgentPair: ended");
});

test("another site gets nothing out of a browser that has the page open", async (t) => {
  const opened = await open(t, browser, relay);
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
