import { readFileSync } from "node:fs";
import { join as path } from "node:path";
import type { Locator } from "playwright-core";
import type { Afterwards } from "../../../npm/test/support/scratch.ts";
import type { Person, Stage } from "./stage.ts";
import { agree, approve, invite, open, propose, write } from "./way.ts";

/** What is done at each station of the walk. */
export type Look = (station: string, who: Person) => Promise<unknown>;

const TRANSCRIPT = path(import.meta.dirname, "../../src/views/replay/transcript.json");
const GOAL = "The price of one hour of work";
const FIRST = "One hour costs 110 EUR.\nFrom January 2027 on.\nPaid within 30 days.\n";
const SECOND = "One hour costs 120 EUR.\nFrom January 2027 on, for a year.\nPaid within 14 days.\n";
const uninterrupted = async () => {};

/** Two people go through every view and its main states once. */
export async function walk(t: Afterwards, stage: Stage, look: Look): Promise<Person[]> {
  // Nothing moves: what is looked at is what stays.
  const [alice, bob] = [
    await stage.person(t, { reducedMotion: "reduce" }),
    await stage.person(t, { reducedMotion: "reduce" }),
  ];
  await beforeAnybody(alice, look);
  await receipts(alice, look);
  await spokenInvites(bob, look);
  await codes(bob, look);
  await bonding(alice, bob, look);
  await comparing(alice, bob, look);
  await talking(alice, bob, look);
  await negotiating(alice, bob, look);
  await agreeing(alice, bob, look);
  await settings(alice, look);
  await ending(alice, bob, look);
  return [alice, bob];
}

async function beforeAnybody(who: Person, look: Look): Promise<void> {
  const { page } = who;
  await who.heading(/just between the two of you/);
  await look("landing", who);
  await visit(who, "#/help");
  await look("help", who);
  await unfold(page.locator("main"));
  await look("help-unfolded", who);
  await visit(who, "#/replay");
  await look("replay", who);
  await page.getByRole("button", { name: "Next" }).focus();
  await page.keyboard.press("End");
  await who.reads("Both signatures hold.");
  await look("replay-end", who);
  await visit(who, "#/settings");
  await who.heading("Restore a backup");
  await look("settings-empty", who);
}

async function receipts(who: Person, look: Look): Promise<void> {
  const { receipt } = JSON.parse(readFileSync(TRANSCRIPT, "utf8")) as { receipt: unknown };
  await visit(who, "#/receipt");
  await look("receipt", who);
  await who.press("Check it");
  await who.reads(/nothing to check/);
  await look("receipt-empty", who);
  await who.type(/paste its text/, "{}");
  await who.press("Check it");
  await who.page.getByRole("alert").waitFor();
  await look("receipt-bad", who);
  await who.press("Check another one");
  await who.type(/paste its text/, JSON.stringify(receipt));
  await who.press("Check it");
  await who.reads("Both signatures hold.");
  await unfold(who.page.locator("main"));
  await look("receipt-good", who);
}

async function spokenInvites(who: Person, look: Look): Promise<void> {
  await visit(who, "#/invite");
  await look("invite-form", who);
  for (const form of ["digits", "words"]) {
    await who.page.getByRole("radio", { name: form === "digits" ? /Six digits/ : /Four words/ }).check();
    await who.press("Make the invite");
    await who.reads(/Nobody has used it yet/);
    await look(`invite-${form}`, who);
    if (form === "digits") {
      await visit(who, "#/");
      await who.heading("On the way");
      await look("home-on-the-way", who);
      await who.follow(/An invite of yours/);
    }
    await who.press("Withdraw this invite");
    await who.heading("This invite is over");
    await look("invite-over", who);
    await who.press("Make another invite");
    await who.heading("Invite somebody");
  }
}

async function codes(who: Person, look: Look): Promise<void> {
  const { page } = who;
  await visit(who, "#/join");
  await look("join-empty", who);
  await who.type("Your code", "42-oasis-aard");
  await page.getByRole("listbox").getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await look("join-completing", who);
  await who.type("Your code", "42-oasis-aardvark-zuchini");
  await who.press("Use the code");
  await who.reads(/not in the list of words/);
  await look("join-typo", who);
  await who.press("Scan a QR code");
  await page.getByRole("region", { name: "Scan" }).getByRole("alert").waitFor();
  await look("join-no-camera", who);
}

async function bonding(alice: Person, bob: Person, look: Look): Promise<void> {
  await visit(alice, "#/");
  const link = await invite(alice, "Bob", uninterrupted);
  await alice.reads(/Nobody has used it yet/);
  await look("invite", alice);
  await bob.page.goto(link);
  await bob.heading("Somebody has invited you");
  await bob.type(/What do you call them/, "Alice");
  await look("join-link", bob);
  await bob.press("Accept the invite");
  await bob.heading(/Bond with/);
  await look("join-question", bob);
  await dialog(bob, "Approve…", "approving", look);
  await dialog(bob, "Reject…", "rejecting", look);
  await approve(bob, /Bond with/);
  await Promise.all([alice.heading("Bob"), bob.heading("Alice")]);
}

async function comparing(alice: Person, bob: Person, look: Look): Promise<void> {
  for (const who of [alice, bob]) await who.page.getByRole("img", { name: /^Group 5/ }).waitFor();
  await look("bond", alice);
  await alice.press("They differ");
  await alice.heading("The numbers differ");
  await look("bond-alarm", alice);
  await alice.press("Compare once more");
  for (const who of [alice, bob]) {
    await who.press("They are equal");
    await who.heading(/same safety number/);
    if (who === alice) await look("bond-comparing", who);
    await approve(who, /same safety number/);
  }
  await alice.reads(/You compared it/);
}

async function talking(alice: Person, bob: Person, look: Look): Promise<void> {
  await write(alice, bob, "Shall we fix the price of my work before you begin?", uninterrupted);
  await write(bob, alice, "Yes, let us. I would take it from January on.", uninterrupted);
  await look("bond-messages", alice);
  await unfold(alice.page.locator("main"));
  await alice.page.getByRole("img", { name: /^Group 5/ }).waitFor();
  await alice.press("Rename");
  await look("bond-unfolded", alice);
  await alice.press("Cancel");
  for (const [button, station] of [
    ["Close this conversation", "bond-closing"],
    ["Revoke this bond", "bond-revoking"],
  ] as const) {
    await dialog(alice, button, station, look);
  }
}

async function negotiating(alice: Person, bob: Person, look: Look): Promise<void> {
  await alice.follow("Propose something");
  await alice.heading(/Propose something to/);
  await alice.press("Propose it");
  await alice.reads("Say what shall be agreed.");
  await alice.press("Add a condition");
  await look("propose", alice);
  await visit(alice, (await alice.page.getByRole("link", { name: "Not now" }).getAttribute("href")) ?? "");
  await open(alice, bob, GOAL, async (who) => {
    if (who === bob) {
      await look("asked", bob);
      await look("asking", alice);
    }
  });
  await alice.reads(/said yes/);
  await propose(alice, bob, FIRST, uninterrupted);
  await unfold(bob.page.locator("main"));
  await look("negotiation-first", bob);
  await propose(bob, alice, SECOND, uninterrupted);
  await look("negotiation", alice);
  await look("negotiation-waiting", bob);
  await dialog(alice, "End this negotiation", "negotiation-ending", look);
}

async function agreeing(alice: Person, bob: Person, look: Look): Promise<void> {
  let isFirst = true;
  await agree(alice, bob, async (who) => {
    if (who === alice && isFirst) await look("signed", alice);
    if (who === alice && !isFirst && (await alice.page.getByRole("heading", { name: /Ratify this/ }).count()) > 0) {
      await look("ratify", alice);
    }
    if (who === alice) isFirst = false;
  });
  await alice.reads("Both signatures hold.");
  await unfold(alice.page.locator("main"));
  await look("agreed", alice);
  await alice.follow("Back to Bob");
  await alice.heading("Negotiations");
  await bob.follow("Back to Alice");
  await open(alice, bob, "The day on which the work begins", uninterrupted);
  await visit(alice, "#/");
  await alice.heading("Negotiations that run");
  await look("home", alice);
}

async function settings(who: Person, look: Look): Promise<void> {
  await visit(who, "#/settings");
  await who.heading("Wipe");
  await look("settings", who);
  await unfold(who.page.locator("main"));
  await look("settings-unfolded", who);
  await dialog(who, "Wipe everything", "settings-wiping", look);
}

async function ending(alice: Person, bob: Person, look: Look): Promise<void> {
  await bob.follow("Back to Alice");
  await bob.press("Revoke this bond");
  await bob.type(/^Why/, "We work face to face from now on.");
  await bob.press("Revoke it");
  await bob.reads(/You revoked it/);
  await visit(alice, "#/");
  await alice.reads("1 bond that is over");
  await look("home-over", alice);
  await alice.page.getByText("1 bond that is over").click();
  await alice.follow(/^Bob/);
  await alice.reads("We work face to face from now on.");
  await look("bond-over", alice);
}

/** Looks at the question that a button opens, and goes back. */
async function dialog(who: Person, button: string, station: string, look: Look): Promise<void> {
  await who.press(button);
  await who.page.getByRole("dialog").waitFor();
  await look(station, who);
  await who.page.keyboard.press("Escape");
  await who.page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Goes to a view as a link would. */
async function visit({ page }: Person, to: string): Promise<void> {
  await page.evaluate((address) => {
    location.hash = address;
  }, to);
  await page.locator("main h1").waitFor();
}

/** Folds everything out, what is in it too. */
async function unfold(part: Locator): Promise<void> {
  for (;;) {
    const folded = part.locator("details:not([open]) > summary").filter({ visible: true });
    if ((await folded.count()) === 0) return;
    await folded.first().click();
  }
}
