import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { type AgentPairError, backup, Host, restore } from "agentpair";
import { messages, openHost, pair, received } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { closed } from "./support/closed.ts";
import { bytesOf, idOf, PASSPHRASE } from "./support/keys.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

test("nothing is ever restored over another AgentPair", async () => {
  const { dataDir, file, id } = await closed();
  await backup(dataDir, file, PASSPHRASE);
  const before = bytesOf(dataDir);
  await assert.rejects(restore(file, dataDir, PASSPHRASE), (error: AgentPairError) => {
    assert.equal(error.code, "directory_not_empty");
    assert.ok(error.message.includes(`mv ${dataDir} ${dataDir}.old`));
    return true;
  });
  assert.deepEqual(bytesOf(dataDir), before);
  assert.equal(await idOf(dataDir), id);
});

test("what a killed restore left is not in the way, and another restore is whole or not there", async () => {
  const { dataDir, file, empty, id } = await closed();
  await backup(dataDir, file, PASSPHRASE);
  mkdirSync(join(empty, "restore-draft"), { recursive: true });
  writeFileSync(join(empty, "restore-draft", "agentpair.db"), "half");
  await assert.rejects(restore(file, empty, "not the passphrase"), { code: "wrong_passphrase" });
  assert.deepEqual(readdirSync(empty), []);
  await restore(file, empty, PASSPHRASE);
  assert.equal(await idOf(empty), id);
});

test("a store whose audit log was altered makes a backup that is refused", async () => {
  const { dataDir, file, empty } = await closed();
  const database = new DatabaseSync(join(dataDir, "agentpair.db"));
  database.exec(`UPDATE log SET value = replace(value, '"at":1', '"at":2') WHERE log = 'audit' AND n = 1`);
  database.close();
  await backup(dataDir, file, PASSPHRASE);
  await assert.rejects(restore(file, empty, PASSPHRASE), { code: "backup_damaged", message: /invalid_audit/ });
  assert.ok(!existsSync(empty));
});

test("who restores goes on with old bonds, and the peer is told", async (t) => {
  const folder = scratch();
  const [dataDir, empty, file] = ["data", "restored", "backup"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const alice = await Host.open({ dataDir, relay: relay.url });
  t.after(() => alice.close());
  const bob = await openHost(t, { relay: relay.url, label: "Bob" });
  const { bond, back } = await pair(alice, bob);
  await alice.send(bond.id, "before the backup");
  await received(bob, 1);
  await backup(dataDir, file, PASSPHRASE);
  await alice.send(bond.id, "after the backup");
  await received(bob, 2);
  await alice.close();

  const { bonds } = await restore(file, empty, PASSPHRASE);
  assert.deepEqual(
    bonds.map(({ id, petname, status }) => [id, petname, status]),
    [[bond.id, "bob", "active"]],
  );
  const again = await openHost(t, { dataDir: empty, relay: relay.url });
  await again.send(bond.id, "after the restore");
  assert.deepEqual(await received(bob, 3), ["before the backup", "after the backup", "after the restore"]);
  const told = async () => (await bob.feed()).find(({ event }) => event.event === "peer_restored");
  const { event } = await bob.until(told, "word of the restore", { timeoutMs: 60_000 });
  assert.deepEqual(event, { event: "peer_restored", bond: back.id });
  await bob.send(back.id, "welcome back");
  assert.deepEqual(await received(again, 1), ["welcome back"]);
  assert.deepEqual(await messages(again), ["welcome back"]);
});

test("a backup of a host that owes something at that moment is whole", async (t) => {
  const folder = scratch();
  const [dataDir, empty, file] = [join(folder, "data"), join(folder, "restored"), join(folder, "backup")];
  const alice = await Host.open({ dataDir, relay: relay.url });
  t.after(() => alice.close());
  const bob = await openHost(t, { relay: relay.url });
  const { back } = await pair(alice, bob);
  await bob.send(back.id, "read and not acknowledged yet");
  await received(alice, 1);
  await backup(dataDir, file, PASSPHRASE);
  await alice.close();
  const { audit } = await restore(file, empty, PASSPHRASE);
  const again = await openHost(t, { dataDir: empty, network: false });
  const acts = (await again.audit({ since: audit })).map(({ act }) => act);
  assert.ok(acts.includes("envelope_sealed"), `what it owed was done when it woke: ${acts}`);
  assert.ok(acts.includes("restored"));
});
