// What people take away from the page, and bring back: audit log, backup, receipt; and the end of a bond.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join as joined } from "node:path";
import { after, test } from "node:test";
import { Host } from "../../npm/dist/node.js";
import { scratch } from "../../npm/test/support/scratch.ts";
import { agentpair } from "./support/command.ts";
import { type Person, Stage } from "./support/stage.ts";
import { backUp, bond, downloaded, restore, say, wipe } from "./support/steps.ts";
import { agree, open, propose, receiptOf } from "./support/way.ts";

const stage = await Stage.start({ after });
const nothing = async () => {};
const GOAL = "The price of one hour";
const TEXT = "One hour costs 110 EUR.";
const PASSPHRASE = "five words and some more";

/** Goes to the view that checks receipts, and gives it one. */
async function check(who: Person, receipt: string): Promise<void> {
  await who.page.goto(`${stage.url}#/receipt`);
  const file = { name: "receipt.json", mimeType: "application/json", buffer: Buffer.from(receipt) };
  await who.page.locator("input[type=file]").setInputFiles(file);
}

/** Goes to the one bond that there is. */
async function toBond(who: Person, name: string): Promise<void> {
  await who.follow("Home");
  await who.page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
  await who.heading(name);
}

test("audit log, receipt and backup leave the page, hold elsewhere, and come back", async (t) => {
  const [alice, bob] = [await stage.person(t), await stage.person(t)];
  const folder = scratch();
  const put = (name: string, data: string | Buffer) => {
    writeFileSync(joined(folder, name), data, { mode: 0o600 });
    return joined(folder, name);
  };
  const pass = put("passphrase", PASSPHRASE);
  await bond(alice, bob);
  await say(bob, "A word before the backup.");
  await alice.reads("A word before the backup.");
  await open(alice, bob, GOAL, nothing);
  await propose(alice, bob, `${TEXT}\n`, nothing);
  await agree(bob, alice, nothing);

  const receipt = await receiptOf(alice);
  const shown = await agentpair(folder, "verify", put("receipt.json", receipt));
  assert.match(shown, /The price of one hour/);
  await check(bob, receipt);
  await bob.reads("Both signatures hold.");
  await bob.reads(TEXT);
  const tampered = receipt.replace("110 EUR", "910 EUR");
  assert.notEqual(tampered, receipt);
  await assert.rejects(agentpair(folder, "verify", put("tampered.json", tampered)));
  await bob.press("Check another one");
  await check(bob, tampered);
  await bob.reads(/This receipt proves nothing/);
  assert.equal(await bob.page.getByText("Both signatures hold.").count(), 0);

  await alice.follow("Settings");
  for (const [button, name] of [
    ["Download as a table (CSV)", "audit.csv"],
    ["Download as JSON Lines", "audit.jsonl"],
  ] as const) {
    const log = (await downloaded(alice, button)).toString();
    await agentpair(folder, "audit", "--verify", put(name, log));
    const lines = log.split("\n");
    lines.splice(2, 1);
    await assert.rejects(agentpair(folder, "audit", "--verify", put(`short-${name}`, lines.join("\n"))), name);
  }

  const backup = await backUp(alice, PASSPHRASE);
  await alice.page.reload();
  await wipe(alice);
  await alice.follow("Settings");
  await alice.page.getByLabel("The backup file").setInputFiles({
    name: "wrong",
    mimeType: "application/octet-stream",
    buffer: backup,
  });
  await alice.type("Its passphrase", "not the passphrase");
  await alice.press("Restore it");
  await alice.reads(/This is not the passphrase of that backup/);
  assert.equal(await alice.page.getByLabel("Its passphrase").inputValue(), "", "kept after an attempt");
  await restore(alice, backup, PASSPHRASE);
  await toBond(alice, "Bob");
  await alice.reads("A word before the backup.");
  await alice.page.getByRole("link", { name: new RegExp(GOAL) }).click();
  await alice.heading("What you agreed on");
  assert.equal(await receiptOf(alice), receipt);
  await toBond(bob, "Alice");
  await toBond(alice, "Bob");
  await say(bob, "A word after the backup.");
  await alice.reads("A word after the backup.");
  await say(alice, "I am back.");
  await bob.reads("I am back.");

  // The same in Node, once the page has given it up; and from there to the page.
  const last = await backUp(alice, PASSPHRASE);
  await alice.page.reload();
  await wipe(alice);
  const data = joined(folder, "data");
  await agentpair(data, "restore", put("page.backup", last), "--passphrase-file", pass);
  const host = await Host.open({ dataDir: data, relay: stage.relay.url });
  try {
    const [there] = await host.bonds();
    assert.equal(there?.petname, "Bob");
    assert.equal((await host.sessions()).filter(({ status }) => status === "agreed").length, 1);
    await host.send(there?.id ?? "", "From Node.");
    await bob.reads("From Node.");
  } finally {
    await host.close();
  }
  await agentpair(data, "backup", joined(folder, "node.backup"), "--passphrase-file", pass);
  await restore(alice, readFileSync(joined(folder, "node.backup")), PASSPHRASE);
  await toBond(alice, "Bob");
  for (const folded of await alice.page
    .locator("details.conversation:not([open]) > summary, .conversation > details:not([open]) > summary")
    .all())
    await folded.click();
  await alice.reads("A word after the backup.");
  await say(alice, "From the page again.");
  await bob.reads("From the page again.");

  // The end of the bond.
  await alice.press("Revoke this bond");
  await alice.type(/^Why/, "We are done.");
  await alice.press("Revoke it");
  await alice.reads("You revoked it. Nothing goes through any more.");
  await bob.reads("Alice revoked it. Nothing goes through any more.");
  await bob.reads("We are done.");
  for (const { page } of [alice, bob]) {
    assert.equal(await page.getByRole("button", { name: "Send", exact: true }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "Propose something" }).count(), 0);
  }
  await check(alice, receipt);
  await alice.reads("Both signatures hold.");
  assert.deepEqual([alice.complaints, bob.complaints], [[], []]);
});

test("a PIN is typed anew for each attempt, and the page keeps none", async (t) => {
  const alice = await stage.person(t);
  await alice.follow("Invite somebody");
  await alice.press("Make the invite");
  await alice.heading("Your invite");
  await alice.follow("Settings");
  const { page } = alice;
  const card = page.getByRole("region", { name: "PIN" });
  const field = (name: string) => card.getByLabel(name, { exact: true });
  const type = async (pins: { [name: string]: string }) => {
    for (const [name, pin] of Object.entries(pins)) await field(name).fill(pin);
  };
  const typed = () => card.locator("input").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
  const fresh = { "New PIN": "23571113", "The new PIN once more": "23571113" };

  await card.getByText("Set a PIN", { exact: true }).click();
  await type({ ...fresh, "The new PIN once more": "23571112" });
  await card.getByText("The two are not the same.").waitFor();
  await alice.press("Set the PIN");
  // It did not get as far as the host: what was typed can be mended.
  assert.deepEqual(await typed(), ["23571113", "23571112"]);
  await type(fresh);
  await card.getByText("The two are not the same.").waitFor({ state: "detached" });
  await alice.press("Set the PIN");
  await alice.reads("The PIN is set.");
  assert.deepEqual(await typed(), ["", "", ""]);

  await type({ "Your current PIN": "00000000", ...fresh });
  await alice.press("Change it");
  await card.getByText(/^This PIN is wrong/).waitFor();
  assert.deepEqual(await typed(), ["", "", ""]);
  await type({ "Your current PIN": "00000000", "New PIN": "2357", "The new PIN once more": "2" });
  await alice.press("Remove the PIN");
  await card.getByText(/^This PIN is wrong/).waitFor();
  await card.getByText("The two are not the same.").waitFor({ state: "detached" });
  assert.deepEqual(await typed(), ["", "", ""]);
  await type({ "Your current PIN": "23571113" });
  await alice.press("Remove the PIN");
  await alice.reads("The PIN is removed.");
  assert.deepEqual(alice.complaints, []);
});
