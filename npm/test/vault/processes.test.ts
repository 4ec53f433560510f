import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { protectKeys, SqliteStore } from "agentpair";
import { Child } from "../support/child.ts";
import { Remote } from "../support/remote.ts";
import { scratch } from "../support/scratch.ts";
import { idOf, PASSPHRASE, storedKeys, withHost } from "./support/keys.ts";

const NOW = { passphrase: async () => PASSPHRASE };

/** A file with a passphrase, named to the processes that are started from now on. */
function passphraseFile(t: TestContext, text = `${PASSPHRASE}\n`): string {
  const file = join(scratch(), "passphrase");
  writeFileSync(file, text, { mode: 0o600 });
  process.env.AGENTPAIR_PASSPHRASE_FILE = file;
  t.after(() => {
    delete process.env.AGENTPAIR_PASSPHRASE_FILE;
  });
  return file;
}

/** A host in a process of its own. */
async function remote(t: TestContext): Promise<{ dataDir: string; host: Remote; id: string }> {
  const dataDir = join(scratch(), "data");
  const host = new Remote(t, { dataDir, network: false });
  const { agentId } = await host.call("me");
  return { dataDir, host, id: agentId };
}

test("a process that has the passphrase goes on when the keys are sealed under it", async (t) => {
  passphraseFile(t);
  const { dataDir, host, id } = await remote(t);
  await protectKeys(dataDir, "passphrase", PASSPHRASE);
  // It writes keys: sealed ones, and reads them again.
  const pairing = await host.call("join", "65-eternal-academy-vendor", { relay: "http://127.0.0.1:9" });
  assert.ok(storedKeys(dataDir).length >= 2);
  for (const [key, value] of storedKeys(dataDir)) assert.match(value, /^sealed1:/, key);
  await protectKeys(dataDir, "file", undefined, NOW);
  await host.call("cancel", pairing);
  for (const [key, value] of storedKeys(dataDir)) assert.doesNotMatch(value, /^sealed1:/, key);
  assert.equal((await host.call("me")).agentId, id);
});

test("a process that has no passphrase is told to stop, and goes on when the keys are open again", async (t) => {
  const { dataDir, host, id } = await remote(t);
  const join = () => host.call("join", "65-eternal-academy-vendor", { relay: "http://127.0.0.1:9" });
  await protectKeys(dataDir, "passphrase", PASSPHRASE);
  const before = storedKeys(dataDir);
  await assert.rejects(join(), { code: "vault_locked" });
  await assert.rejects(host.call("me"), { code: "vault_locked" });
  assert.deepEqual(storedKeys(dataDir), before);
  await protectKeys(dataDir, "file", undefined, NOW);
  await join();
  assert.equal((await host.call("me")).agentId, id);
});

test("a server finds the passphrase in a file that only its owner can read", async (t) => {
  const dataDir = join(scratch(), "data");
  const id = await idOf(dataDir);
  await protectKeys(dataDir, "passphrase", PASSPHRASE);
  const file = passphraseFile(t);
  const open = () => withoutSource(dataDir);
  assert.equal(await open(), id);
  chmodSync(file, 0o640);
  await assert.rejects(open(), { code: "passphrase_file_not_private", message: /chmod 600/ });
  chmodSync(file, 0o600);
  for (const [text, words] of [
    ["", /it is empty/],
    ["\n", /it is empty/],
    [`${PASSPHRASE}\nmore\n`, /more than one line/],
    ["x".repeat(5_000), /more than 4096 bytes/],
  ] as const) {
    writeFileSync(file, text);
    await assert.rejects(open(), { code: "passphrase_file_failed", message: words });
  }
  writeFileSync(file, "another passphrase");
  await assert.rejects(open(), { code: "wrong_passphrase" });
  for (const text of [PASSPHRASE, `${PASSPHRASE}\r\n`, `${PASSPHRASE}\n\n`]) {
    writeFileSync(file, text);
    assert.equal(await open(), id, JSON.stringify(text));
  }
  process.env.AGENTPAIR_PASSPHRASE_FILE = join(file, "none");
  await assert.rejects(open(), { code: "passphrase_file_failed", message: /^cannot read the passphrase file/ });
});

test("keys are plain or sealed, and never in between, whenever the change is killed", async (t) => {
  const dataDir = join(scratch(), "data");
  const id = await withHost(dataDir, async (host) => {
    // Something to be rewritten.
    for (let n = 0; n < 20; n++) await host.join(`1${n}-eternal-academy-vendor`, { relay: "http://127.0.0.1:9" });
    return (await host.me()).agentId;
  });
  const seen = new Set<string>();
  for (let round = 0; round < 6; round++) {
    const child = new Child(t, "../vault/support/changing.ts", dataDir, PASSPHRASE);
    await child.hear();
    if (round % 2 === 1) await child.hear();
    await new Promise((resolve) => setTimeout(resolve, 80 * round));
    await child.kill();
    const values = storedKeys(dataDir).map(([, value]) => value.startsWith("sealed1:"));
    assert.equal(new Set(values).size, 1, "all alike");
    seen.add(String(values[0]));
    assert.equal(await idOf(dataDir, PASSPHRASE), id);
  }
  assert.deepEqual([...seen].sort(), ["false", "true"], "both states were found");
});

test("a change waits for a transaction, and a transaction for a change", async () => {
  const dataDir = join(scratch(), "data");
  await idOf(dataDir);
  const store = await SqliteStore.open(dataDir, NOW);
  const writes = Array.from({ length: 30 }, (_, n) =>
    store.transact(undefined, (transaction) => transaction.write([{ key: `secret/${n}`, value: `{"n":${n}}` }], [])),
  );
  await Promise.all([protectKeys(dataDir, "passphrase", PASSPHRASE), ...writes]);
  await store.transact(undefined, (transaction) => transaction.write([{ key: "secret/30", value: '{"n":30}' }], []));
  const records = await store.transact(0, ({ changes }) => changes);
  for (let n = 0; n <= 30; n++) assert.equal(records.find(({ key }) => key === `secret/${n}`)?.value, `{"n":${n}}`);
  assert.ok(storedKeys(dataDir).every(([, value]) => value.startsWith("sealed1:")));
  await store.close();
});

/** As a server opens it: nobody can be asked. */
async function withoutSource(dataDir: string): Promise<string> {
  const { Host } = await import("agentpair");
  const host = await Host.open({ dataDir, network: false });
  const { agentId } = await host.me();
  await host.close();
  return agentId;
}
