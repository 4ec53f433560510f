import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { backup, Host, restore } from "agentpair";
import type { Page } from "playwright-core";
import { Owner } from "../cli/support/run.ts";
import { launch } from "../support/chromium.ts";
import { messages, openHost, pair, received } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { PASSPHRASE } from "../vault/support/keys.ts";
import { profile, tab } from "./support/chrome.ts";
import { LONGEST_MS, longestTask } from "./support/long-tasks.ts";
import { NodeParty, Party, pairSides } from "./support/party.ts";
import { Site } from "./support/site.ts";

/** One of each for all tests of this file. */
const { url: relay } = await Relay.start({ after });
const site = await Site.start({ after }, [relay]);
const browser = await launch({ after });

/** A backup of the page's open host. */
async function backUp(page: Page): Promise<Buffer> {
  const bytes = await page.evaluate(async (passphrase) => {
    const file = await globalThis.agentpair.backup(host, passphrase);
    return Array.from(new Uint8Array(await file.arrayBuffer()));
  }, PASSPHRASE);
  return Buffer.from(bytes);
}

/** Restores in a page; resolves with what was restored, or with the error. */
function restoreIn(page: Page, file: Buffer, passphrase: string, name?: string) {
  return page.evaluate(
    ({ bytes, passphrase, name }) =>
      globalThis.agentpair.restore(new File([Uint8Array.from(bytes)], "alice.backup"), passphrase, { name }).then(
        ({ bonds, protection, audit }) => ({
          code: "none",
          message: "",
          bonds: bonds.map(({ id }) => id),
          protection,
          audit,
        }),
        ({ code, message }) => ({ code, message, bonds: [], protection: "", audit: 0 }),
      ),
    { bytes: [...file], passphrase, name },
  );
}

test("what was backed up in a page is restored by the command line, which goes on with its bonds", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const alice = await Party.open(page, { relay, label: "Alice" });
  const bob = await openHost(t, { relay, label: "Bob" });
  const { bond, back } = await pairSides(alice, new NodeParty(bob));
  await alice.call("send", bond.id, "before");
  await received(bob, 1);
  const { agentId, audit } = await alice.call("me");
  const longest = await longestTask(page, () =>
    page.evaluate(async (passphrase) => {
      await globalThis.agentpair.backup(host, passphrase);
    }, PASSPHRASE),
  );
  assert.ok(longest <= LONGEST_MS, `${longest} ms`);
  const bytes = await backUp(page);
  await page.evaluate(() => host.close());
  const folder = scratch();
  const [file, passphraseFile] = [join(folder, "alice.backup"), join(folder, "passphrase")];
  writeFileSync(file, bytes);
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  const owner = new Owner(t, relay);
  const ended = await owner.run(["restore", file, "--passphrase-file", passphraseFile]);
  assert.match(
    ended.stderr,
    /The keys were sealed \(browser\); now they lie in the directory: agentpair keys keychain/,
  );
  const again = await openHost(t, { dataDir: owner.dataDir, relay });
  const me = await again.me();
  assert.equal(me.agentId, agentId);
  assert.ok(me.audit > audit);
  await again.send(bond.id, "after");
  assert.deepEqual(await received(bob, 2), ["before", "after"]);
  await bob.send(back.id, "welcome");
  assert.deepEqual(await received(again, 1), ["welcome"]);
});

test("what was backed up in Node is restored in a page, and back again", async (t) => {
  const folder = scratch();
  const dataDir = join(folder, "data");
  const alice = await Host.open({ dataDir, relay, label: "Alice" });
  const bob = await openHost(t, { relay, label: "Bob" });
  const { bond, back } = await pair(alice, bob);
  await alice.send(bond.id, "before");
  await received(bob, 1);
  const { agentId } = await alice.me();
  await alice.close();
  const file = join(folder, "alice.backup");
  const made = await backup(dataDir, file, PASSPHRASE);
  const page = await tab(await profile(t, browser), site.origin);
  const restored = await restoreIn(page, readFileSync(file), PASSPHRASE, "alice");
  assert.deepEqual(restored, { code: "none", message: "", bonds: [bond.id], protection: "file", audit: made.audit });
  const party = await Party.open(page, { name: "alice", relay });
  assert.equal((await party.call("me")).agentId, agentId);
  await bob.send(back.id, "welcome");
  const heard = async () => {
    const feed = await party.call("feed", { limit: 1_000 });
    return feed.some(({ event }) => event.event === "message" && event.body === "welcome") ? true : undefined;
  };
  await party.until(heard, "a message");
  await party.call("send", bond.id, "after");
  await received(bob, 2);
  assert.deepEqual(await messages(bob), ["before", "after"]);
  const told = async () => (await bob.feed()).find(({ event }) => event.event === "peer_restored");
  assert.ok(await bob.until(told, "word of the restore", { timeoutMs: 60_000 }));
  // And back to Node.
  writeFileSync(`${file}.2`, await backUp(page));
  const { protection } = await restore(`${file}.2`, join(folder, "again"), PASSPHRASE);
  assert.equal(protection, "browser");
});

test("nothing is restored over another one, with a wrong passphrase, or from a damaged file", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const alice = await Party.open(page, { name: "alice", network: false });
  const { agentId } = await alice.call("me");
  const bytes = await backUp(page);
  const altered = Buffer.from(bytes);
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
  const cut = bytes.subarray(0, bytes.length - 7);
  const cases: [string, Buffer, string, string, RegExp][] = [
    ["over another", bytes, PASSPHRASE, "alice", /^store_not_empty: .*make a backup of it and wipe it first/],
    ["wrong passphrase", bytes, "another passphrase", "bob", /^wrong_passphrase: .*alice\.backup/],
    ["no backup", Buffer.from("some text that is long enough to be read as one"), PASSPHRASE, "bob", /^no_backup: /],
    ["altered", altered, PASSPHRASE, "bob", /^(backup_damaged|wrong_passphrase): /],
    ["cut", cut, PASSPHRASE, "bob", /^backup_damaged: .*its end is missing/],
  ];
  for (const [what, file, passphrase, name, expected] of cases) {
    const { code, message } = await restoreIn(page, file, passphrase, name);
    assert.match(`${code}: ${message}`, expected, what);
  }
  const left = await page.evaluate(async () => {
    const { Host, backup } = globalThis.agentpair;
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => "none",
        ({ code }) => code,
      );
    return {
      names: (await indexedDB.databases()).map(({ name }) => name),
      exists: [await Host.exists("alice"), await Host.exists("bob")],
      codes: [await codeOf(backup(host, "too short")), await codeOf(backup("bob", "a good passphrase"))],
    };
  });
  assert.deepEqual(left, { names: ["alice"], exists: [true, false], codes: ["invalid_argument", "no_store"] });
  assert.equal((await alice.call("me")).agentId, agentId);
});

test("who wipes and restores is the same again", async (t) => {
  const page = await tab(await profile(t, browser), site.origin);
  const alice = await Party.open(page, { network: false });
  const { agentId } = await alice.call("me");
  const bytes = await backUp(page);
  await page.evaluate(async () => {
    await host.close();
    await globalThis.agentpair.wipe();
  });
  assert.equal(await page.evaluate(() => globalThis.agentpair.Host.exists()), false);
  assert.equal((await restoreIn(page, bytes, PASSPHRASE)).code, "none");
  await alice.open();
  assert.equal((await alice.call("me")).agentId, agentId);
});
