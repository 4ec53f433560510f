// Two tabs of one person: one host, one state, and no decision made twice.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Person, Stage } from "./support/stage.ts";
import { bond, say, wipe } from "./support/steps.ts";
import { invite, join } from "./support/way.ts";

const stage = await Stage.start({ after });
const nothing = async () => {};

/** Another tab of the same person, at the same place. */
async function another(who: Person): Promise<Person> {
  return Person.open(who.context, who.page.url());
}

test("both tabs see a new bond and what is sent in one; a question is decided once", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  const link = await invite(alice, "Bob", nothing);
  const second = await another(alice);
  await second.heading("Your invite");
  await second.follow("Home");
  await second.reads("An invite of yours");
  await join(bob, link, "Alice", nothing);
  await Promise.all([alice.heading("Bob"), second.page.getByRole("link", { name: /^Bob/ }).click()]);
  await second.heading("Bob");

  await say(alice, "From the first tab.");
  await Promise.all([bob.reads("From the first tab."), second.reads("From the first tab.")]);
  await say(second, "From the second tab.");
  await Promise.all([bob.reads("From the second tab."), alice.reads("From the second tab.")]);
  await say(bob, "To both tabs.");
  await Promise.all([alice.reads("To both tabs."), second.reads("To both tabs.")]);

  // The same question in both; one of them is about to reject it.
  await alice.press("They are equal");
  await Promise.all([alice.heading(/same safety number/), second.heading(/same safety number/)]);
  await second.press("Reject…");
  const dialog = second.page.getByRole("dialog");
  await dialog.waitFor();
  await alice.press("Approve…");
  await alice.page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await alice.reads(/You compared it/);
  await dialog.getByRole("alert").waitFor();
  assert.match((await dialog.textContent()) ?? "", /nothing (was|is) decided|not open any more|decided/i);
  assert.equal(await dialog.getByRole("button", { name: /Reject/ }).count(), 0);
  await dialog.getByRole("button").click();
  await second.reads(/You compared it/);
  assert.equal(await second.page.getByText(/same safety number\?/).count(), 0);
  assert.equal(await second.page.getByText("Active.").count(), 1);
  assert.deepEqual([alice.complaints, second.complaints, bob.complaints], [[], [], []]);
});

test("the tab that talks to the relay is closed, or crashes: the other one goes on", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  await bond(alice, bob);
  const second = await another(alice);
  await second.heading("Bob");
  // It was there first, so it has the network.
  await alice.page.close();
  await Promise.all([say(second, "The first tab is closed."), bob.reads("The first tab is closed.")]);
  const third = await another(second);
  await third.heading("Bob");
  const crashed = new Promise((resolve) => second.page.once("crash", resolve));
  await Promise.all([crashed, second.page.goto("chrome://crash").catch(() => {})]);
  await say(third, "The second tab has crashed.");
  await bob.reads("The second tab has crashed.");
  await say(bob, "I still hear you.");
  await third.reads("I still hear you.");
  assert.deepEqual(third.complaints, []);
});

test("what was sent is read once, not at every change", async (t) => {
  const [alice, bob] = [
    await stage.person(t, {}, (context) => context.addInitScript(countReads)),
    await stage.person(t),
  ];
  await bond(alice, bob);
  const second = await another(alice);
  await second.heading("Bob");
  await say(alice, "From the first tab.");
  for (const tab of [alice, second]) {
    await tab.reads("From the first tab.");
    await tab.page.getByText(/ · delivered$/).waitFor();
  }
  const reads = () =>
    Promise.all([alice, second].map(({ page }) => page.evaluate(() => Reflect.get(globalThis, "reads"))));
  const before = await reads();
  for (const text of ["One.", "Two.", "Three."]) {
    await say(bob, text);
    for (const tab of [alice, second]) await tab.reads(text);
  }
  assert.deepEqual(await reads(), before);
  // The first one has written it itself; the second one had to read it.
  assert.ok(before[1] > 0);
});

/** Runs in the page: counts the texts of its own that it reads. */
function countReads(): void {
  const real = IDBObjectStore.prototype.getAll;
  Object.assign(globalThis, { reads: 0 });
  IDBObjectStore.prototype.getAll = function (...args) {
    if (this.name === "notes") Object.assign(globalThis, { reads: Reflect.get(globalThis, "reads") + 1 });
    return real.apply(this, args);
  };
}

test("a wipe while another tab sleeps: nobody is left to believe that the data stay", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  await bond(alice, bob);
  await say(alice, "A word of mine.");
  await alice.reads("A word of mine.");
  const sleeping = await alice.context.newPage();
  await sleeping.goto(`${stage.url}icon.svg`);
  // It holds the data, and does not hear that it shall give way.
  await sleeping.evaluate(async () => {
    const request = indexedDB.open("agentpair");
    await new Promise((resolve) => request.addEventListener("success", resolve));
    Object.assign(globalThis, { held: request.result });
  });
  await alice.follow("Settings");
  await alice.press("Wipe everything");
  await alice.type(/to go on/, "wipe");
  await alice.page.getByRole("dialog").getByRole("button", { name: "Wipe everything" }).click();
  await alice.page
    .getByRole("dialog")
    .getByText(/The wipe has begun, and cannot be stopped/)
    .waitFor();
  const names = () =>
    alice.page.evaluate(async () =>
      (await indexedDB.databases())
        .map(({ name }) => name)
        .toSorted()
        .join(),
    );
  assert.equal(await names(), "agentpair", "the texts of the page's own are gone already");
  await sleeping.close();
  // It is as it was said: gone without any further act.
  for (let tries = 0; (await names()) !== ""; tries += 1) {
    assert.ok(tries < 100, "what was to be wiped is there still");
    await alice.page.waitForTimeout(50);
  }
  await alice.page.reload();
  await alice.page.getByText(/There is nothing of yours on this page yet/).waitFor();
});

test("a wipe in one tab is told in the other, which can begin anew", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  await bond(alice, bob);
  const second = await another(alice);
  await second.heading("Bob");
  await wipe(alice);
  await second.reads(/What this page had stored is gone/);
  assert.equal(await second.page.getByText("Active.").count(), 0, "the bond is still shown as one that is in use");
  await second.page.reload();
  await second.follow("Home");
  await second.page.getByRole("link", { name: "Invite somebody" }).waitFor();
});
