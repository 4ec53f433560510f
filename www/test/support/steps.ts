import { readFileSync } from "node:fs";
import type { Afterwards } from "../../../npm/test/support/scratch.ts";
import type { Person, Stage } from "./stage.ts";
import { invite, join } from "./way.ts";

const nothing = async () => {};

/** Two people who are bonded, both at their bond. */
export async function pair(t: Afterwards, stage: Stage): Promise<{ alice: Person; bob: Person }> {
  const [alice, bob] = await Promise.all([stage.person(t), stage.person(t)]);
  await bond(alice, bob);
  return { alice, bob };
}

/** Bonds two people by a link; both can write then. */
export async function bond(alice: Person, bob: Person): Promise<void> {
  await join(bob, await invite(alice, "Bob", nothing), "Alice", nothing);
  await Promise.all([alice.heading("Bob"), bob.heading("Alice")]);
  await Promise.all([alice, bob].map((who) => who.page.getByLabel("Write a message").waitFor()));
}

/** Sends a message, without waiting for the other side. */
export async function say(who: Person, text: string): Promise<void> {
  const field = who.page.getByLabel(/^(Write a message|Your message)$/).filter({ visible: true });
  await field.first().fill(text);
  await who.page.getByRole("button", { name: "Send", exact: true }).filter({ visible: true }).first().click();
}

/** What a button gives for download. */
export async function downloaded(who: Person, button: string | RegExp): Promise<Buffer> {
  const [download] = await Promise.all([who.page.waitForEvent("download"), who.press(button)]);
  return readFileSync(await download.path());
}

/** Goes to the settings, and takes a backup. */
export async function backUp(who: Person, passphrase: string): Promise<Buffer> {
  await who.follow("Settings");
  await who.page.getByText("Make a backup").click();
  await who.type("Passphrase", passphrase);
  await who.type("The passphrase once more", passphrase);
  return downloaded(who, "Make and download it");
}

/** Goes to the settings, and wipes everything. */
export async function wipe(who: Person): Promise<void> {
  await who.follow("Settings");
  await who.press("Wipe everything");
  await who.type(/to go on/, "wipe");
  await who.page.getByRole("dialog").getByRole("button", { name: "Wipe everything" }).click();
  await who.reads("Everything is wiped.");
}

/** Goes to the settings, and restores a backup. */
export async function restore(who: Person, backup: Buffer, passphrase: string): Promise<void> {
  await who.follow("Settings");
  const file = { name: "agentpair.backup", mimeType: "application/octet-stream", buffer: backup };
  await who.page.getByLabel("The backup file").setInputFiles(file);
  await who.type("Its passphrase", passphrase);
  await who.press("Restore it");
  await who.reads(/^Restored\. The backup was made/);
}
