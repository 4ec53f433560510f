// What the page may do, and what it does: it asks its own host and the relay, and tells neither a secret.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join as joined } from "node:path";
import { after, test } from "node:test";
import { verifyReceipt } from "../../npm/dist/node.js";
import { holds, holdsWord, readings } from "../../npm/test/support/haystack.ts";
import { scratch } from "../../npm/test/support/scratch.ts";
import { agentpair, keysIn } from "./support/command.ts";
import { keptBy, readingsOf } from "./support/kept.ts";
import { Stage } from "./support/stage.ts";
import { backUp } from "./support/steps.ts";
import { agree, compare, invite, join, open, propose, receiptOf, write } from "./support/way.ts";

const { stage, toRelay, toPage } = await Stage.behind({ after });
const PASSPHRASE = "five words and some more";
const nothing = async () => {};

/** Everything that left browsers so far. */
const sent = () => readings([...toRelay.sent, ...toPage.sent].map((chunks) => Buffer.concat(chunks)));

test("the policy in the page is the strict one, and stands before all that it rules", async (t) => {
  const { page } = await stage.person(t);
  const html = (await (await page.request.get(stage.url)).text()).replace(/\s+/g, " ");
  const socket = toRelay.url.replace("http", "ws");
  const expected = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${toRelay.url} ${socket}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const found = await page.evaluate(() =>
    [...document.querySelectorAll("meta[http-equiv=Content-Security-Policy]")].map((meta) =>
      meta.getAttribute("content"),
    ),
  );
  assert.deepEqual(found, [expected]);
  // A policy in the text of the page rules what comes after it.
  assert.ok(html.indexOf("Content-Security-Policy") < html.search(/<(script|link|style|img)\b/));
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=/i);
  assert.equal(await page.locator("meta[name=referrer]").getAttribute("content"), "no-referrer");
});

test("what the policy forbids does not happen in a real browser", async (t) => {
  const stranger = createServer((_, response) => {
    visits += 1;
    response.writeHead(200, { "content-type": "text/javascript", "access-control-allow-origin": "*" });
    response.end("globalThis.isBroken = true;");
  });
  let visits = 0;
  stranger.on("upgrade", (_, socket) => {
    visits += 1;
    socket.destroy();
  });
  stranger.listen(0, "127.0.0.1");
  await once(stranger, "listening");
  t.after(() => stranger.close());
  const other = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;

  const { page } = await stage.person(t);
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      seen.push(`${effectiveDirective} ${blockedURI}`);
    });
  });
  // Out of the evaluation: what is evaluated by the test itself is under no policy.
  const says = await page.evaluate(
    (other) =>
      new Promise<string[]>((resolve) => {
        setTimeout(async () => {
          const add = (name: string, what: object) =>
            document.body.append(Object.assign(document.createElement(name), what));
          add("script", { textContent: "globalThis.isBroken = true" });
          add("script", { src: `${other}/script.js` });
          add("img", { src: `${other}/image.png` });
          add("iframe", { src: `${other}/frame.html` });
          add("style", { textContent: "body { color: red }" });
          add("link", { rel: "stylesheet", href: `${other}/style.css` });
          const button = document.createElement("button");
          button.setAttribute("onclick", "globalThis.isBroken = true");
          button.click();
          const form = Object.assign(document.createElement("form"), { action: `${other}/form`, method: "post" });
          document.body.append(form);
          form.submit();
          const tries: (() => unknown)[] = [
            // biome-ignore lint/security/noGlobalEval: it is what must be refused.
            () => globalThis.eval("1"),
            () => new Function("return 1")(),
            () => fetch(`${other}/fetch`),
            () => fetch(`${other}/blind`, { mode: "no-cors" }),
            () => import(/* @vite-ignore */ `${other}/module.js`),
            () =>
              new Promise((opened, failed) => {
                const socket = new WebSocket(other.replace("http", "ws"));
                socket.onopen = opened;
                socket.onerror = () => failed(new Error("WebSocket"));
              }),
            () =>
              new Promise((started, failed) => {
                const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
                worker.onmessage = started;
                worker.onerror = () => failed(new Error("Worker"));
              }),
          ];
          navigator.sendBeacon(`${other}/beacon`, "x");
          const outcomes: string[] = [];
          for (const attempt of tries) {
            try {
              await attempt();
              outcomes.push("done");
            } catch (error) {
              outcomes.push((error as Error).name);
            }
          }
          resolve(outcomes);
        });
      }),
    other,
  );
  assert.deepEqual(says, ["EvalError", "EvalError", "TypeError", "TypeError", "TypeError", "Error", "Error"]);
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
  for (const expected of [
    "script-src-elem inline",
    "script-src-attr inline",
    "script-src eval",
    `script-src-elem ${other}/script.js`,
    `script-src-elem ${other}/module.js`,
    `img-src ${other}/image.png`,
    `frame-src ${other}`,
    "style-src-elem inline",
    `style-src-elem ${other}/style.css`,
    `form-action ${other}/form`,
    `connect-src ${other}/fetch`,
    `connect-src ${other}/blind`,
    `connect-src ${other}/beacon`,
    `connect-src ${other.replace("http", "ws")}`,
    "worker-src blob",
  ]) {
    assert.ok(
      seen.some((line) => line.startsWith(expected)),
      `${expected} is not among ${seen.join(", ")}`,
    );
  }
  assert.equal(visits, 0, "something reached the stranger");
  assert.equal(await page.evaluate(() => "isBroken" in globalThis), false);
});

test("from an invite to a receipt: nobody but the page's host and the relay is asked, and no secret is told or kept", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  const link = await invite(alice, "Bob", nothing);
  const [, name = "", secret = ""] = /[#&]i=([^.]+)\.([^&]+)/.exec(link) ?? [];
  assert.equal(Buffer.from(secret, "base64url").length, 16);
  const isTold = (where: Buffer[]) =>
    holds(where, Buffer.from(secret)) || holds(where, Buffer.from(secret, "base64url"));
  // What a reload needs is kept, under a key that no script can read.
  const before = readingsOf(await keptBy(alice.page));
  assert.ok(holds(before, Buffer.from("sealed1:")) && !isTold(before), "an open invite is kept in the clear");

  await join(bob, link, "Alice", nothing);
  await Promise.all([alice.heading("Bob"), bob.heading("Alice")]);
  const session = await bob.context.newCDPSession(bob.page);
  const { entries } = await session.send("Page.getNavigationHistory");
  assert.ok(entries.length > 1 && !JSON.stringify(entries).includes(secret), "the history keeps the invite");
  await compare(alice, nothing);
  await write(alice, bob, "Shall we fix the price?", nothing);
  await open(alice, bob, "The price of one hour", nothing);
  await propose(alice, bob, "One hour costs 110 EUR.\n", nothing);
  await agree(bob, alice, nothing);
  verifyReceipt(await receiptOf(alice));

  const origins = [toPage.url, toRelay.url, toRelay.url.replace("http", "ws")];
  const isOurs = (url: string) =>
    origins.some((origin) => url.startsWith(`${origin}/`)) || url.startsWith(`blob:${toPage.url}/`);
  for (const { requests } of [alice, bob]) {
    assert.ok(requests.some((url) => url.endsWith(".wasm")) && requests.some((url) => url.startsWith(toRelay.url)));
    assert.deepEqual(
      requests.filter((url) => !isOurs(url)),
      [],
    );
    assert.deepEqual(
      requests.filter((url) => url.includes(secret) || url.includes("#")),
      [],
    );
  }
  const recorded = sent();
  assert.ok(holds(recorded, Buffer.from(name)), "the name of the invite is there, so the recording is one");
  assert.ok(!isTold(recorded), "the secret of the invite was sent");
  assert.ok(!holds(recorded, Buffer.from("110 EUR")) && !holds(recorded, Buffer.from("fix the price")));
  assert.deepEqual([alice.complaints, bob.complaints], [[], []]);

  // Only a backup gives the keys: Node tells which they are.
  const folder = scratch();
  writeFileSync(joined(folder, "backup"), await backUp(alice, PASSPHRASE));
  writeFileSync(joined(folder, "passphrase"), PASSPHRASE, { mode: 0o600 });
  await agentpair(
    joined(folder, "data"),
    "restore",
    joined(folder, "backup"),
    "--passphrase-file",
    joined(folder, "passphrase"),
  );
  const keys = keysIn(joined(folder, "data"));
  assert.ok(keys.length >= 2, `${keys.length} keys`);
  for (const { page } of [alice, bob]) {
    const kept = await keptBy(page);
    assert.match(kept, /"extractable":false/);
    assert.doesNotMatch(kept, /"extractable":true/);
    const found = readingsOf(kept);
    assert.ok(holds(found, Buffer.from("The price of one hour")), "what is no secret can be found there");
    assert.ok(!isTold(found), "the secret of the invite is kept");
    assert.ok(!keys.some((key) => holds(found, key)), "a private key is kept in the clear");
  }
});

test("the words and the digits of a code are told to nobody, and kept nowhere after the pairing", async (t) => {
  // Words of the protocol itself may happen to be in a code.
  const usual = sent();
  for (const form of [/Four words/, /Six digits/]) {
    const [alice, bob] = [await stage.person(t), await stage.person(t)];
    await alice.follow("Invite somebody");
    let code = "";
    let secret: string[] = [];
    do {
      if (code !== "") await alice.press("Make another invite");
      await alice.page.getByRole("radio", { name: form }).check();
      await alice.press("Make the invite");
      const shown = alice.page.locator(".invite-spoken");
      await alice.heading("Your invite");
      await shown.waitFor();
      code = (await shown.textContent()) ?? "";
      secret = form.source.includes("words") ? code.split("-").slice(1) : [];
    } while (secret.some((word) => holdsWord(usual, word)));
    await bob.follow("I have a code");
    await bob.page.getByRole("combobox", { name: /code/i }).fill(code);
    await bob.press("Use the code");
    await bob.press("Approve…");
    await bob.page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
    await Promise.all([alice.reads(/You are bonded/), bob.reads(/You are bonded/)]);
    const spellings = [code, code.replaceAll("-", " "), code.replaceAll("-", ""), secret.join("-"), secret.join(" ")];
    const places: { [name: string]: Buffer[] } = {
      requests: sent(),
      "what Alice keeps": readingsOf(await keptBy(alice.page)),
      "what Bob keeps": readingsOf(await keptBy(bob.page)),
    };
    for (const [place, found] of Object.entries(places)) {
      for (const text of spellings.filter(Boolean)) assert.ok(!holds(found, Buffer.from(text)), `${text} in ${place}`);
      for (const word of secret) assert.ok(!holdsWord(found, word), `${word} in ${place}`);
    }
    const [number = ""] = code.split("-");
    assert.ok(holdsWord(places.requests ?? [], secret.length > 0 ? `w${number}` : `d${code.slice(0, 3)}`));
  }
});

test("an invite leaves the address at once", async (t) => {
  const alice = await stage.person(t);
  const link = await invite(alice, "Bob", nothing);
  const bob = await stage.person(t, {}, (context) =>
    context.addInitScript(() => {
      // Every address that the page ever has after its own first line of script.
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      addEventListener("DOMContentLoaded", () => seen.push(location.href, document.documentElement.outerHTML));
    }),
  );
  await bob.page.goto("about:blank");
  await bob.page.goto(link);
  await bob.heading("Somebody has invited you");
  assert.equal(bob.page.url(), `${stage.url}#/join`);
  const secret = link.split(".").at(-1) ?? "";
  const seen = await bob.page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
  assert.equal(seen.length, 2);
  assert.ok(!seen.some((text) => text.includes(secret)), "it was there when the page was ready");
  assert.ok(!(await bob.page.content()).includes(secret), "it is in the page");
  await bob.page.goto("about:blank");
  await bob.page.goBack();
  await bob.page.reload();
  await bob.heading("I have a code");
  assert.equal(bob.page.url(), `${stage.url}#/join`);
});

test("in a frame of another page there is nothing but a sentence and the way out", async (t) => {
  const host = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<iframe src="${stage.url}" width="600" height="400"></iframe>`);
  });
  host.listen(0, "127.0.0.1");
  await once(host, "listening");
  t.after(() => {
    host.closeAllConnections();
    host.close();
  });
  const { page } = await stage.person(t);
  await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("link", { name: "Open it by itself" }).waitFor();
  assert.equal(await frame.getByText("could deceive you").count(), 1);
  assert.equal(await frame.locator("button, input, select, textarea, nav, h1").count(), 0);
  assert.equal(await frame.locator("a").count(), 1);
});
