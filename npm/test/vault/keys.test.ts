import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type Keychain, type Protection, protectKeys, SqliteStore } from "agentpair";
import { scratch } from "../support/scratch.ts";
import { bytesOf, FileKeychain, idOf, needles, PASSPHRASE, storedKeys, withHost } from "./support/keys.ts";

/** A directory with the keys of a host and of a pairing in it; the id of the host. */
async function made(): Promise<{ dataDir: string; id: string }> {
  const dataDir = join(scratch(), "data");
  const id = await withHost(dataDir, async (host) => {
    await host.join("65-eternal-academy-vendor", { relay: "http://127.0.0.1:9" });
    return (await host.me()).agentId;
  });
  return { dataDir, id };
}

/** As an owner would who has the passphrase or the keychain. */
function protect(dataDir: string, to: Protection, keychain: Keychain, next = PASSPHRASE, now = PASSPHRASE) {
  return protectKeys(dataDir, to, next, { keychain, passphrase: async (attempt) => (attempt === 0 ? now : undefined) });
}

test("keys lie in the file unless they are sealed; then no trace of them is left in it", async () => {
  const { dataDir, id } = await made();
  const keychain = new FileKeychain(join(scratch(), "keychain"));
  const stored = storedKeys(dataDir);
  assert.ok(
    stored.some(([key]) => key.startsWith("secret/")) && stored.some(([key]) => key.startsWith("secret_pairing/")),
  );
  const secrets = needles(stored);
  assert.ok(
    secrets.every((secret) => bytesOf(dataDir).includes(secret)),
    "they can be found",
  );
  // Somebody else who has it open, so that the journal is not removed by itself.
  const other = await SqliteStore.open(dataDir, { keychain, passphrase: async () => PASSPHRASE });
  for (const to of ["passphrase", "keychain", "passphrase"] as const) {
    const { isErased, leftover } = await protect(dataDir, to, keychain);
    assert.deepEqual([isErased, leftover], [true, undefined]);
    const bytes = bytesOf(dataDir);
    assert.ok(!secrets.some((secret) => bytes.includes(secret)), to);
    assert.deepEqual(
      storedKeys(dataDir)
        .map(([key]) => key)
        .sort(),
      stored.map(([key]) => key).sort(),
    );
    assert.equal(
      Object.keys(keychain.entries).length,
      to === "keychain" ? 1 : 0,
      "the keychain has no more than it must",
    );
    assert.equal(await idOf(dataDir, PASSPHRASE, keychain), id, to);
    assert.equal(statSync(join(dataDir, "agentpair.db")).mode & 0o777, 0o600);
  }
  await other.close();
  assert.equal((await protect(dataDir, "file", keychain)).before, "passphrase");
  assert.deepEqual(storedKeys(dataDir).sort(), stored.sort());
  assert.equal(await idOf(dataDir), id);
});

test("another passphrase seals everything anew, under another key", async () => {
  const { dataDir, id } = await made();
  const keychain = new FileKeychain(join(scratch(), "keychain"));
  await protect(dataDir, "passphrase", keychain);
  const before = storedKeys(dataDir);
  await protect(dataDir, "passphrase", keychain, "quite another passphrase");
  const bytes = bytesOf(dataDir);
  assert.ok(before.every(([, value]) => !bytes.includes(value)));
  await assert.rejects(idOf(dataDir, PASSPHRASE), { code: "wrong_passphrase" });
  assert.equal(await idOf(dataDir, "quite another passphrase"), id);
});

test("without its passphrase nothing opens, and it is said what to do", async () => {
  const { dataDir } = await made();
  await protect(dataDir, "passphrase", new FileKeychain(join(scratch(), "keychain")));
  await assert.rejects(idOf(dataDir), {
    code: "vault_locked",
    blame: "policy",
    message:
      /use a terminal, or put the passphrase into a file that only you can read and name that file in AGENTPAIR_PASSPHRASE_FILE$/,
  });
  await assert.rejects(idOf(dataDir, "not the right one"), { code: "wrong_passphrase", blame: "caller" });
});

test("who mistypes may try again", async () => {
  const { dataDir, id } = await made();
  await protect(dataDir, "passphrase", new FileKeychain(join(scratch(), "keychain")));
  const asked: number[] = [];
  const store = await SqliteStore.open(dataDir, {
    passphrase: async (attempt) => {
      asked.push(attempt);
      return ["wrong", PASSPHRASE][attempt];
    },
  });
  await store.close();
  assert.deepEqual(asked, [0, 1]);
  // The same letters, composed otherwise.
  await protect(dataDir, "passphrase", new FileKeychain(join(scratch(), "keychain")), "d\u00e9j\u00e0 vu encore");
  assert.equal(await idOf(dataDir, "de\u0301ja\u0300 vu encore"), id);
});

test("a passphrase that is too short changes nothing", async () => {
  const { dataDir, id } = await made();
  const before = storedKeys(dataDir);
  await assert.rejects(protect(dataDir, "passphrase", new FileKeychain("none"), "123456789"), {
    code: "invalid_argument",
  });
  assert.deepEqual(storedKeys(dataDir), before);
  assert.equal(await idOf(dataDir), id);
});

test("a keychain that forgets gets no keys, and one that lost its entry is told in words", async () => {
  const { dataDir, id } = await made();
  const forgetful: Keychain = { load: async () => undefined, store: async () => {}, remove: async () => {} };
  await assert.rejects(protect(dataDir, "keychain", forgetful), {
    code: "keychain_unavailable",
    message: /does not keep/,
  });
  assert.equal(await idOf(dataDir), id);
  const keychain = new FileKeychain(join(scratch(), "keychain"));
  await protect(dataDir, "keychain", keychain);
  await assert.rejects(idOf(dataDir, undefined, forgetful), { code: "vault_locked", message: /has no key for/ });
  for (const id of Object.keys(keychain.entries)) await keychain.store(id, new Uint8Array(32));
  await assert.rejects(idOf(dataDir, undefined, keychain), { code: "vault_locked", message: /not the right one/ });
});

test("a sealed record opens in its place only", async (t) => {
  const dataDir = scratch();
  const options = { passphrase: async () => PASSPHRASE };
  const keys = ["secret/one", "secret/other"];
  const store = await SqliteStore.open(dataDir, options);
  t.after(() => store.close());
  await store.transact(undefined, (transaction) => {
    transaction.write(
      keys.map((key) => ({ key, value: `{"of":"${key}"}` })),
      [],
    );
  });
  await protectKeys(dataDir, "passphrase", PASSPHRASE);
  const read = () => store.transact(0, ({ changes }) => changes.map(({ value }) => value));
  assert.equal((await read()).length, 2);
  const [one, other] = storedKeys(dataDir);
  assert.ok(one && other);
  change(dataDir, "UPDATE records SET value = ? WHERE key = ?", other[1], one[0]);
  await assert.rejects(read(), { code: "store_corrupt", message: /a record cannot be read/ });
});

test("a store whose keys are sealed takes no plain key, from whomever", async () => {
  const { dataDir } = await made();
  await protect(dataDir, "passphrase", new FileKeychain(join(scratch(), "keychain")));
  for (const sql of [
    "INSERT OR REPLACE INTO records (value, key, rev) VALUES (?, ?, 9)",
    "UPDATE records SET value = ? WHERE key = ?",
  ]) {
    const [key = ""] = storedKeys(dataDir)[0] ?? [];
    assert.throws(() => change(dataDir, sql, '{"seed":"x"}', key), /a plain key in a store whose keys are sealed/);
  }
  change(dataDir, "INSERT INTO records (value, key, rev) VALUES (?, ?, 9)", "{}", "mid/x");
});

for (const [name, alter] of Object.entries<(about: { kdf: { [name: string]: unknown } }) => unknown>({
  "more memory than there is": (about) => ({ ...about, kdf: { ...about.kdf, memory_kib: 2 ** 31 } }),
  "passes without end": (about) => ({ ...about, kdf: { ...about.kdf, passes: 1e9 } }),
  "another function": (about) => ({ ...about, kdf: { ...about.kdf, name: "argon3" } }),
  "a salt of another length": (about) => ({ ...about, kdf: { ...about.kdf, salt: "AAAA" } }),
  "another version": (about) => ({ ...about, v: 2 }),
})) {
  test(`parameters that are not ours are not computed: ${name}`, async () => {
    const { dataDir } = await made();
    await protect(dataDir, "passphrase", new FileKeychain(join(scratch(), "keychain")));
    const database = new DatabaseSync(join(dataDir, "agentpair.db"));
    const about = JSON.parse(String(database.prepare("SELECT about FROM vault").get()?.about));
    database.prepare("UPDATE vault SET about = ?").run(JSON.stringify(alter(about)));
    database.close();
    await assert.rejects(idOf(dataDir, PASSPHRASE), { code: "store_too_new" });
  });
}

test("a store of the schema before is brought to this one, with its keys in the file", async () => {
  const { dataDir, id } = await made();
  const database = new DatabaseSync(join(dataDir, "agentpair.db"));
  database.exec(`DROP TRIGGER no_plain_key_by_insert; DROP TRIGGER no_plain_key_by_update; DROP TABLE vault;
                 DELETE FROM counters WHERE name = 'vault'; PRAGMA user_version = 1`);
  database.close();
  assert.equal(await idOf(dataDir), id);
  await protect(dataDir, "passphrase", new FileKeychain(join(scratch(), "keychain")));
  assert.equal(await idOf(dataDir, PASSPHRASE), id);
});

function change(dataDir: string, sql: string, value: string, key: string): void {
  const database = new DatabaseSync(join(dataDir, "agentpair.db"));
  try {
    database.prepare(sql).run(value, key);
  } finally {
    database.close();
  }
}
