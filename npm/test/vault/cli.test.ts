// `agentpair keys`, `backup`, `restore` and `wipe`.
import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { Host } from "agentpair";
import { Owner, PROGRAM } from "../cli/support/run.ts";
import { openHost, pair } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { Remote } from "../support/remote.ts";
import { Terminal } from "../support/terminal.ts";
import { idOf, PASSPHRASE, storedKeys } from "./support/keys.ts";

const { url: relay } = await Relay.start({ after });

interface Made {
  owner: Owner;
  id: string;
  /** A file with the passphrase. */
  secret: string;
  terminal(...words: string[]): Terminal;
}

/** An owner with a data directory. */
async function made(t: TestContext): Promise<Made> {
  const owner = new Owner(t, relay);
  const id = await idOf(owner.dataDir);
  const secret = join(owner.home, "secret");
  writeFileSync(secret, `${PASSPHRASE}\n`, { mode: 0o600 });
  const terminal = (...words: string[]) => new Terminal(t, [PROGRAM, ...words], owner.env);
  return { owner, id, secret, terminal };
}

const sealed = (owner: Owner) => storedKeys(owner.dataDir).every(([, value]) => value.startsWith("sealed1:"));

test("keys are sealed by a passphrase that is typed, and each command asks for it", async (t) => {
  const { owner, id, terminal } = await made(t);
  assert.deepEqual(await owner.json(["keys", "status"]), [{ protection: "file", data_dir: owner.dataDir }]);
  const seal = terminal("keys", "passphrase");
  await seal.answers(/New passphrase of the keys:/, "too short");
  await seal.answers(/at least 10 characters[\s\S]*New passphrase of the keys:/, PASSPHRASE);
  await seal.answers(/The same again:/, PASSPHRASE);
  await seal.shows(/the keys are sealed, and open by your passphrase/);
  await seal.shows(/AGENTPAIR_PASSPHRASE_FILE/);
  assert.equal(await seal.end(), 0);
  assert.ok(sealed(owner));
  assert.equal((await owner.json(["keys", "status"]))[0].protection, "passphrase");

  const bonds = terminal("bonds");
  await bonds.answers(/Passphrase of your AgentPair keys:/, "not the right one");
  await bonds.answers(/That is not the passphrase\.[\s\S]*Passphrase of your AgentPair keys:/, PASSPHRASE);
  await bonds.shows(/no bonds yet/i);
  assert.equal(await bonds.end(), 0);
  assert.ok(!seal.raw.includes(PASSPHRASE) && !bonds.raw.includes(PASSPHRASE));

  const { stderr } = await owner.run(["--json", "bonds"], { code: 3 });
  assert.equal(JSON.parse(stderr).error.code, "vault_locked");

  const open = terminal("keys", "file");
  await open.answers(/Passphrase of your AgentPair keys:/, PASSPHRASE);
  assert.equal(await open.end(), 0);
  assert.ok(!sealed(owner));
  assert.equal(await idOf(owner.dataDir), id);
});

test("a server is given the passphrase by a file", async (t) => {
  const { owner, id, secret } = await made(t);
  const env = { AGENTPAIR_PASSPHRASE_FILE: secret };
  await owner.run(["keys", "passphrase", "--passphrase-file", secret]);
  await owner.run(["bonds"], { code: 3 });
  assert.equal((await owner.json(["bonds"], { env }))[0].me.agent_id, id);
  const other = join(owner.home, "other");
  writeFileSync(other, "another passphrase", { mode: 0o600 });
  assert.match(
    (await owner.run(["bonds"], { env: { AGENTPAIR_PASSPHRASE_FILE: other }, code: 1 })).stderr,
    /does not open the keys/,
  );
  const [changed] = await owner.json(["keys", "passphrase", "--passphrase-file", other], { env });
  assert.deepEqual(changed, { protection: "passphrase", before: "passphrase", erased: true });
  await owner.run(["bonds"], { env, code: 1 });
  await owner.run(["keys", "file"], { env: { AGENTPAIR_PASSPHRASE_FILE: other } });
  assert.equal(await idOf(owner.dataDir), id);
});

test("keys that nobody has are not protected", async (t) => {
  const owner = new Owner(t, relay);
  for (const verb of ["status", "file", "keychain", "passphrase"]) {
    assert.match((await owner.run(["keys", verb], { code: 1 })).stderr, /there is no AgentPair in/);
  }
  assert.ok(!existsSync(owner.dataDir));
});

test("who has no keychain is told so, and the keys stay as they are", async (t) => {
  const { owner, id } = await made(t);
  const env = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };
  const { stderr } = await owner.run(["keys", "keychain"], { env, code: 1 });
  assert.match(stderr, /fetching @napi-rs\/keyring/);
  assert.match(stderr, /the keychain of this user cannot be used[\s\S]*keep the keys under a passphrase instead/);
  assert.equal(await idOf(owner.dataDir), id);
});

test("a backup is made and restored with a passphrase that is typed", async (t) => {
  const { owner, id, terminal } = await made(t);
  const file = join(owner.home, "alice.backup");
  const backup = terminal("backup", file);
  await backup.answers(/New passphrase of the backup:/, PASSPHRASE);
  await backup.answers(/The same again:/, "something different");
  await backup.answers(/two different ones[\s\S]*New passphrase of the backup:/, PASSPHRASE);
  await backup.answers(/The same again:/, PASSPHRASE);
  await backup.shows(/was read back/);
  assert.equal(await backup.end(), 0);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!backup.raw.includes(PASSPHRASE));

  // Asked for nothing where it would be in vain.
  assert.match((await owner.run(["backup", file], { code: 1 })).stderr, /is there already/);
  const { stderr } = await owner.run(["restore", file], { code: 3 });
  assert.match(stderr, /is not empty, and nothing is ever restored over another AgentPair/);
  assert.ok(stderr.includes(`mv ${owner.dataDir} ${owner.dataDir}.old`));
  assert.match((await owner.run(["backup", join(owner.home, "other")], { code: 3 })).stderr, /this needs a terminal/);

  renameSync(owner.dataDir, `${owner.dataDir}.old`);
  const wrong = terminal("restore", file);
  await wrong.answers(/Passphrase of the backup:/, "not the right one");
  await wrong.shows(/does not open/);
  assert.equal(await wrong.end(), 1);
  const restore = terminal("restore", file);
  await restore.answers(/Passphrase of the backup:/, PASSPHRASE);
  await restore.shows(/Everything is as it was at 20/);
  assert.equal(await restore.end(), 0);
  assert.equal(await idOf(owner.dataDir), id);
});

test("who restores is told which bonds are back, and how the keys lie now", async (t) => {
  const owner = new Owner(t, relay);
  const bob = await openHost(t, { relay });
  const alice = await Host.open({ dataDir: owner.dataDir, relay });
  const { bond } = await pair(alice, bob);
  await alice.close();
  const [secret, file] = [join(owner.home, "secret"), join(owner.home, "alice.backup")];
  writeFileSync(secret, PASSPHRASE, { mode: 0o600 });
  const env = { AGENTPAIR_PASSPHRASE_FILE: secret };
  await owner.run(["keys", "passphrase", "--passphrase-file", secret]);
  const [backup] = await owner.json(["backup", file, "--passphrase-file", secret], { env });
  assert.ok(backup.records > 0 && backup.bytes > 0);
  // The keys' passphrase is not taken for the backup's.
  await owner.run(["backup", join(owner.home, "other")], { env, code: 3 });
  // Ended since.
  await owner.run(["revoke", "bob", "--yes"], { env });
  await owner.run(["wipe", "--yes"]);

  const { stdout, stderr } = await owner.run(["--json", "restore", file, "--passphrase-file", secret]);
  const restored = JSON.parse(stdout);
  assert.deepEqual(restored.bonds, [{ peer: "bob", bond: bond.id, status: "active" }]);
  assert.equal(restored.created_at, backup.created_at);
  for (const words of [
    /Bonds that were made after that are gone: pair anew\./,
    /The bonds above are back, also those that you have ended since: end them again, with agentpair revoke\./,
    /Messages and receipts in between are lost to this side\./,
    /Your peers are told as soon as AgentPair runs here again\./,
    /The keys were sealed \(passphrase\); now they lie in the directory: agentpair keys passphrase/,
  ]) {
    assert.match(stderr, words);
  }
  assert.equal((await owner.json(["bonds"]))[0].bonds[0].status, "active");
});

test("who wipes types the directory's name", async (t) => {
  const { owner, id, terminal } = await made(t);
  assert.match((await owner.run(["wipe"], { code: 2 })).stderr, /for good: add --yes/);
  const slip = terminal("wipe");
  await slip.answers(/Type data to go on:/, "yes");
  await slip.shows(/nothing was removed/);
  assert.equal(await slip.end(), 5);
  assert.equal(await idOf(owner.dataDir), id);
  const wipe = terminal("wipe");
  await wipe.answers(/Type data to go on:/, "data");
  await wipe.shows(/wiped /);
  assert.equal(await wipe.end(), 0);
  assert.ok(!existsSync(owner.dataDir));
  assert.match((await owner.run(["wipe", "--yes"], { code: 1 })).stderr, /there is no AgentPair in/);
});

test("a directory in use is not wiped", async (t) => {
  const { owner } = await made(t);
  const host = new Remote(t, { dataDir: owner.dataDir, network: false });
  await host.call("me");
  const { stderr } = await owner.run(["wipe", "--yes", "--revoke"], { code: 3 });
  assert.match(stderr, /another process uses/);
  await host.call("setLabel", "still here");
});

test("who revokes first has told the peers, or is told who does not know", async (t) => {
  const owner = new Owner(t, relay);
  const bob = await openHost(t, { relay });
  const alice = await Host.open({ dataDir: owner.dataDir, relay });
  const { back } = await pair(alice, bob);
  await alice.close();
  writeFileSync(join(owner.dataDir, "notes.txt"), "");
  const [wiped] = await owner.json(["wipe", "--yes", "--revoke"]);
  assert.deepEqual(wiped, { data_dir: owner.dataDir, foreign: ["notes.txt"], untold: [] });
  assert.deepEqual(readdirSync(owner.dataDir), ["notes.txt"]);
  const over = async () => ((await bob.bond(back.id)).status === "revoked_by_peer" ? true : undefined);
  await bob.until(over, "the end", { timeoutMs: 60_000 });
});
