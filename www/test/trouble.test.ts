// When something goes wrong, the page says so in words, shows a way on, and loses nothing.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { type Person, Stage } from "./support/stage.ts";
import { backUp, bond, restore, say, wipe } from "./support/steps.ts";
import { invite, join, letBegin, offer } from "./support/way.ts";

const { stage, toRelay } = await Stage.behind({ after });
const PASSPHRASE = "five words and some more";
const nothing = async () => {};
const origin = new URL(stage.url).origin;

const evict = async ({ context, page }: Person) => {
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
};

const SHUT: { [name: string]: () => void } = {
  "has no place to store": () => Object.defineProperty(globalThis, "indexedDB", { value: undefined }),
  "refuses to store": () => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("not here", "SecurityError");
    };
  },
};

for (const [name, shut] of Object.entries(SHUT)) {
  test(`a browser that ${name}: words, and what needs no keys still works`, async (t) => {
    const alice = await stage.person(t, {}, (context) => context.addInitScript(shut));
    await alice.reads(/This browser lets the page keep nothing/);
    await alice.reads(/use a normal one, or allow this page to store data/);
    await alice.follow("Invite somebody");
    await alice.press("Make the invite");
    const alerts = alice.page.getByRole("main").getByRole("alert").filter({ hasText: "keep nothing" });
    await alerts.first().waitFor();
    await alice.page.goto(`${stage.url}#/receipt`);
    await alice.page.getByLabel(/paste its text/).fill("{}");
    await alice.press("Check it");
    await alice.reads(/This is not a receipt of AgentPair/);
    assert.deepEqual(alice.complaints, []);
  });
}

test("what is stored is deleted under the open page, and between visits: told, and a backup brings it back", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  await bond(alice, bob);
  const backup = await backUp(alice, PASSPHRASE);
  await evict(alice);
  await alice.reads(/What this page had stored is gone/);
  assert.equal(await alice.page.getByText(/What this page had stored is gone/).count(), 1, "told once");
  // The way on without a reload, and the next visit.
  await alice.page.getByLabel("The backup file").waitFor();
  await alice.page.reload();
  await restore(alice, backup, PASSPHRASE);
  await alice.page.getByRole("link", { name: /^Bob/ }).click();
  await alice.heading("Bob");
  await say(bob, "Are you still there?");
  await alice.reads("Are you still there?");

  await alice.page.goto("about:blank");
  await evict(alice);
  await alice.page.goto(stage.url);
  await alice.page.getByRole("link", { name: "Invite somebody" }).waitFor();
  await alice.follow("Settings");
  await alice.reads(/There is nothing of yours on this page yet/);
  await alice.page.getByLabel("The backup file").waitFor();
});

test("only the keys were deleted meanwhile: a wipe takes along what the page itself remembers", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  await bond(alice, bob);
  await say(alice, "A word of mine.");
  await alice.reads("A word of mine.");
  await alice.type("Your message", "A word that I did not send.");
  await alice.page.evaluate(() => void indexedDB.deleteDatabase("agentpair"));
  await alice.reads(/What this page had stored is gone/);
  await wipe(alice);
  const left = await alice.page.evaluate(async () => [
    ...(await indexedDB.databases()).map(({ name }) => name),
    ...Object.keys(sessionStorage).filter((key) => key.startsWith("agentpair.draft.")),
  ]);
  assert.deepEqual(left, []);
});

test("the numbers differ, and the bond is revoked: the other side reads why, in words", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  await bond(alice, bob);
  await alice.press("They differ");
  await alice.press("Revoke this bond…");
  await alice.page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await alice.reads("The bond is revoked.");
  await bob.reads("Alice revoked it. Nothing goes through any more.");
  const why = bob.page.getByRole("figure", { name: "Written by Alice, checked by nobody" });
  await why.getByText("The safety numbers of the two sides differed.").waitFor();
  assert.equal(await bob.page.getByText("safety_number_differs").count(), 0);
});

test("a negotiation cannot be read: words instead of a moment that never ends, and the next reading counts", async (t) => {
  const [alice, bob] = [
    await stage.person(t, {}, (context) => context.addInitScript(breakTurns)),
    await stage.person(t),
  ];
  await bond(alice, bob);
  await offer(alice, "The price of one hour", nothing);
  await letBegin(bob, "The price of one hour", nothing);
  await alice.reads(/said yes/);
  await alice.page.evaluate(() => Object.assign(globalThis, { isBroken: true }));
  await alice.follow(/Back to Bob/);
  await alice.page.getByRole("link", { name: /The price of one hour/ }).click();
  await alice.page.getByRole("main").getByRole("alert").waitFor();
  assert.equal(await alice.page.getByText("One moment…").count(), 0);
  await alice.page.evaluate(() => Object.assign(globalThis, { isBroken: false }));
  // Anything that happens is a reason to read again.
  await bob.follow(/Back to Alice/);
  await say(bob, "Are you there?");
  await alice.heading(/Negotiation with/);
  assert.equal(await alice.page.getByRole("main").getByRole("alert").count(), 0);
});

/** Runs in the page: turns cannot be read while `isBroken`. */
function breakTurns(): void {
  const real = WebAssembly.instantiate as (
    module: WebAssembly.Module,
    imports?: object,
  ) => Promise<WebAssembly.Instance>;
  const instantiate = async (module: WebAssembly.Module, imports?: object) => {
    const { exports } = await real(module, imports);
    const turns = exports.engine_turns as (...args: number[]) => unknown;
    const broken = (...args: number[]) => {
      if (Reflect.get(globalThis, "isBroken")) throw new Error("the turns cannot be read");
      return turns(...args);
    };
    return { module, instance: { exports: { ...exports, engine_turns: broken } } };
  };
  Object.assign(WebAssembly, { instantiate });
}

test("no room left: what was written is not lost, and goes out once there is room", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  const session = await alice.context.newCDPSession(alice.page);
  // Before anything is stored: the browser remembers for a while how much space it saw.
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 400_000 });
  await bond(alice, bob);
  const text = "A very long letter. ".repeat(30_000);
  await say(alice, text);
  await alice.reads(/There is no room left to store this/);
  const field = alice.page.getByLabel("Write a message");
  assert.ok((await field.inputValue()) === text);
  await alice.page.reload();
  await alice.heading("Bob");
  assert.ok((await field.inputValue()) === text, "it is still there after a reload");
  await say(alice, "A short one fits.");
  await bob.reads("A short one fits.");
});

test("a clock that is an hour off is told, with what to do", async (t) => {
  const alice = await stage.person(t, {}, (context) => context.addInitScript(shiftClock));
  await alice.follow("Invite somebody");
  await alice.press("Make the invite");
  // The second answer that says so: one alone may have been late.
  await alice.heading("Your invite");
  await alice.press("Make another invite");
  await alice.press("Make the invite");
  await alice.reads(/The clock of this device is about 60 minutes fast/);
  await alice.press("Understood");
  await alice.page.getByText(/The clock of this device/).waitFor({ state: "detached" });
});

/** Runs in the page. */
function shiftClock(): void {
  const now = Date.now.bind(Date);
  globalThis.Date = new Proxy(Date, {
    construct: (target, args) => (args.length === 0 ? new target(now() + 3_600_000) : Reflect.construct(target, args)),
    get: (target, name) => (name === "now" ? () => now() + 3_600_000 : Reflect.get(target, name)),
  });
}

test("the relay goes in the middle, crashes, or the device is offline: what is sent waits, and arrives", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  await bond(alice, bob);
  t.after(() => {
    toRelay.answer = undefined;
  });
  const waits = (text: string) =>
    alice.page
      .locator("li")
      .filter({ hasText: text })
      .getByText(/waiting to leave/);
  toRelay.answer = (_, response) => response.destroy();
  toRelay.hangUp();
  await say(alice, "While the relay is gone.");
  await waits("While the relay is gone.").waitFor();
  await alice.page.reload();
  await waits("While the relay is gone.").waitFor();
  assert.equal(await bob.page.getByText("While the relay is gone.").count(), 0);
  toRelay.answer = undefined;
  await bob.reads("While the relay is gone.");

  await Promise.all([stage.relay.crash(), say(alice, "While it crashed.")]);
  await bob.reads("While it crashed.");

  await alice.context.setOffline(true);
  await say(alice, "While I am offline.");
  await waits("While I am offline.").waitFor();
  await alice.context.setOffline(false);
  await bob.reads("While I am offline.");
  await alice.page
    .locator("li")
    .filter({ hasText: "While I am offline." })
    .getByText(/delivered/)
    .waitFor();
});

test("a relay that does not answer, or answers nonsense, is told while an invite is made; the next try works", async (t) => {
  const alice = await stage.person(t);
  t.after(() => {
    toRelay.answer = undefined;
  });
  await alice.follow("Invite somebody");
  toRelay.answer = (_, response) => response.destroy();
  await alice.press("Make the invite");
  await alice.reads(/relay does not answer/);
  toRelay.answer = (_, response) => {
    response.writeHead(200, {
      "content-type": "text/html",
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "*",
      "access-control-allow-headers": "*",
    });
    response.end("<h1>Welcome to the hotel</h1>");
  };
  await alice.reads(/This relay does not do invites|takes no invites/);
  toRelay.answer = undefined;
  await alice.press("Make the invite");
  await alice.reads(/Your invite is ready/);
});

test("what encrypts does not load: words, and it works at the next try", async (t) => {
  for (const part of ["**/*.wasm", "**/assets/browser-*.js"]) {
    const cut = (context: BrowserContext) => context.route(part, (route) => route.abort());
    const alice = await stage.person(t, {}, cut);
    await alice.follow("Invite somebody");
    await alice.press("Make the invite");
    await alice.reads(/could not be loaded/);
    await alice.context.unrouteAll();
    await alice.page.reload();
    await alice.page.getByRole("radio", { name: /Four words/ }).check();
    await alice.press("Make the invite");
    await alice.heading("Your invite");
  }
});

test("codes that lead nowhere: of another relay, used, cut, mistyped, wrong", async (t) => {
  const [alice, bob, carol] = [await stage.person(t), await stage.person(t), await stage.person(t)];
  const link = await invite(alice, "Bob", nothing);
  const foreign = link.replace(/r=[^&]*/, `r=${encodeURIComponent("https://relay.example")}`);
  assert.notEqual(foreign, link);
  await carol.page.goto(foreign);
  await carol.reads(/This invite is on the relay https:\/\/relay\.example/);
  await carol.reads(/ask for an invite that was made on this page/);
  assert.equal(await carol.page.getByRole("button", { name: "Accept the invite" }).count(), 0);
  assert.deepEqual(
    carol.requests.filter((url) => url.includes("relay.example")),
    [],
  );
  await carol.page.goto(link.slice(0, -4));
  await carol.reads(/This link is no whole invite/);
  await carol.press("Use another code instead");

  const code = carol.page.getByRole("combobox", { name: "Your code" });
  await code.fill("65-eternal-acadamy-vendor");
  await carol.press("Use the code");
  await carol.reads(/“acadamy” is not in the list/);
  await carol.press("I meant “academy”");
  assert.equal(await code.inputValue(), "65-eternal-academy-vendor");
  await carol.press("Use the code");
  await carol.reads(/The relay knows no such invite/);
  await carol.press("Try another code");

  await join(bob, link, "Alice", nothing);
  await Promise.all([alice.heading("Bob"), bob.heading("Alice")]);
  await carol.page.goto(link);
  await carol.press("Accept the invite");
  await carol.reads(/(Somebody has used this code already|The relay knows no such invite)/);

  // A code whose words are wrong, on a name that is there.
  await alice.follow("Home");
  await alice.follow("Invite somebody");
  await alice.page.getByRole("radio", { name: /Four words/ }).check();
  await alice.press("Make the invite");
  const shown = alice.page.locator(".invite-spoken");
  await shown.waitFor();
  const [number = "", first, ...rest] = ((await shown.textContent()) ?? "").split("-");
  await carol.press("Try another code");
  await code.fill([number, first === "academy" ? "vendor" : "academy", ...rest].join("-"));
  await carol.press("Use the code");
  await carol.reads(/The code was wrong, or somebody/);
  await alice.reads(/The code was wrong, or somebody/);
  await alice.page.getByRole("button", { name: "Make another invite" }).waitFor();
});

test("an invite is withdrawn: told on both sides", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  const link = await invite(alice, "Bob", nothing);
  await alice.press("Withdraw this invite");
  await alice.heading("This invite is over");
  await alice.reads(/It was withdrawn/);
  await bob.page.goto(link);
  await bob.press("Accept the invite");
  // To the relay, withdrawn and expired are one.
  await bob.reads(/This code is over/);
  await alice.press("Make another invite");
  await alice.page.getByRole("button", { name: "Make the invite" }).waitFor();
});
