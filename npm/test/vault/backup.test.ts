import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type AgentPairError, backup, protectKeys, restore, SqliteStore } from "agentpair";
import { Child } from "../support/child.ts";
import { scratch } from "../support/scratch.ts";
import { closed } from "./support/closed.ts";
import { idOf, needles, PASSPHRASE, storedKeys, withHost } from "./support/keys.ts";

test("a backup is one private file that tells nothing, and gives everything back", async () => {
  const { dataDir, file, empty, id } = await closed();
  const secrets = needles(storedKeys(dataDir));
  const made = await backup(dataDir, file, PASSPHRASE);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(file, "..")).sort(), ["alice.backup", "data"], "no draft is left");
  const bytes = readFileSync(file);
  assert.equal(bytes.length, made.bytes);
  assert.ok(![...secrets, Buffer.from("Alice"), Buffer.from(id)].some((secret) => bytes.includes(secret)));
  const before = await all(dataDir);
  assert.ok(made.feed > 0 && made.audit > 0);
  assert.deepEqual(made, { createdAt: made.createdAt, bytes: bytes.length, ...before.counts });

  const restored = await restore(file, empty, PASSPHRASE);
  assert.equal(restored.createdAt, made.createdAt);
  assert.equal(restored.protection, "file");
  assert.equal(statSync(empty).mode & 0o777, 0o700);
  assert.equal(statSync(join(empty, "agentpair.db")).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(empty), ["agentpair.db"]);
  assert.equal(await idOf(empty), id);
  assert.deepEqual(storedKeys(empty).sort(), storedKeys(dataDir).sort());
  const afterwards = await all(empty);
  for (const entry of before.entries) {
    const found = afterwards.entries.find(({ log, n }) => log === entry.log && n === entry.n);
    assert.deepEqual(found, entry, "both logs, byte for byte");
  }
  const last = await withHost(empty, async (host) => (await host.audit({ since: made.audit })).map(({ act }) => act));
  assert.equal(last[0], "restored");
});

test("keys that are sealed are in the backup, and lie open after it is restored, which is said", async () => {
  const { dataDir, file, empty, id } = await closed();
  const stored = storedKeys(dataDir);
  await protectKeys(dataDir, "passphrase", "that of the keys alone");
  await assert.rejects(backup(dataDir, file, PASSPHRASE), { code: "vault_locked" });
  await backup(dataDir, file, PASSPHRASE, { passphrase: async () => "that of the keys alone" });
  assert.equal((await restore(file, empty, PASSPHRASE)).protection, "passphrase");
  assert.deepEqual(storedKeys(empty).sort(), stored.sort());
  assert.equal(await idOf(empty), id);
});

test("no backup without a store, a good passphrase, and a free name", async () => {
  const { dataDir, file, empty } = await closed();
  await assert.rejects(backup(empty, file, PASSPHRASE), { code: "no_store" });
  assert.ok(!existsSync(empty));
  await assert.rejects(backup(dataDir, file, "123456789"), { code: "invalid_argument" });
  writeFileSync(file, "older");
  await assert.rejects(backup(dataDir, file, PASSPHRASE), { code: "file_exists" });
  assert.equal(readFileSync(file, "utf8"), "older");
  const nowhere = join(empty, "x", "y");
  await assert.rejects(backup(dataDir, nowhere, PASSPHRASE), { code: "file_failed", message: /there is no such/ });
});

test("a backup with one bit changed, a part cut off, moved or added is refused, and nothing is restored", async () => {
  const { dataDir, file, empty } = await closed();
  // More than one box.
  const store = await SqliteStore.open(dataDir);
  await store.transact(undefined, (transaction) => {
    for (let n = 0; n < 8; n++) {
      transaction.write(
        [{ key: `rejected/${n}`, value: JSON.stringify({ count: n, filler: "x".repeat(90_000) }) }],
        [],
      );
    }
  });
  await store.close();
  await backup(dataDir, file, PASSPHRASE);
  const whole = readFileSync(file);
  const header = 20 + whole.readUInt32BE(16);
  const boxes: Buffer[] = [];
  for (let at = header; at < whole.length; ) {
    const size = 4 + whole.readUInt32BE(at);
    boxes.push(whole.subarray(at, at + size));
    at += size;
  }
  assert.ok(boxes.length >= 3, `${boxes.length} boxes`);
  const head = whole.subarray(0, header);
  const flipped = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  const second = header + (boxes[0]?.length ?? 0);
  const cases: [string, Buffer, RegExp][] = [
    ["no backup", Buffer.from("some text that is long enough to be read as one"), /^no_backup$/],
    ["empty", Buffer.alloc(0), /^no_backup$/],
    ["magic", flipped(3), /^no_backup$/],
    ["header's length", flipped(16), /^no_backup$/],
    ["salt", flipped(header - 5), /^(wrong_passphrase|no_backup|backup_too_new)$/],
    ["first box", flipped(header + 40), /^wrong_passphrase$/],
    ["second box's length", flipped(second), /^backup_damaged$/],
    ["second box's nonce", flipped(second + 6), /^backup_damaged$/],
    ["second box", flipped(second + 200), /^backup_damaged$/],
    ["last byte", flipped(whole.length - 1), /^backup_damaged$/],
    ["cut in a box", whole.subarray(0, whole.length - 7), /^backup_damaged$/],
    ["cut after a box", Buffer.concat([head, ...boxes.slice(0, -1)]), /^backup_damaged$/],
    ["only the header", head, /^backup_damaged$/],
    ["a box left out", Buffer.concat([head, ...boxes.filter((_, n) => n !== 1)]), /^backup_damaged$/],
    [
      "boxes swapped",
      Buffer.concat([head, ...[0, 2, 1].map((n) => boxes[n] as Buffer), ...boxes.slice(3)]),
      /^backup_damaged$/,
    ],
    ["something behind", Buffer.concat([whole, Buffer.from([0])]), /^backup_damaged$/],
  ];
  const altered = `${file}.altered`;
  for (const [name, bytes, code] of cases) {
    writeFileSync(altered, bytes);
    await assert.rejects(restore(altered, empty, PASSPHRASE), (error: AgentPairError) => {
      assert.match(error.code, code, `${name}: ${error.message}`);
      // By the seal, before anything of it is read.
      if (/box/.test(name) && error.code === "backup_damaged") {
        assert.match(error.message, /\((a part of it was altered|its end is missing)\)/, name);
      }
      return true;
    });
    assert.ok(!existsSync(empty), name);
  }
});

test("parameters of a newer version are not computed", async () => {
  const { dataDir, file, empty } = await closed();
  await backup(dataDir, file, PASSPHRASE);
  const bytes = readFileSync(file);
  const size = bytes.readUInt32BE(16);
  const text = bytes.subarray(20, 20 + size).toString();
  const more = text.replace('"memory_kib":65536', '"memory_kib":99999');
  assert.notEqual(more, text);
  writeFileSync(`${file}.2`, Buffer.concat([bytes.subarray(0, 20), Buffer.from(more), bytes.subarray(20 + size)]));
  await assert.rejects(restore(`${file}.2`, empty, PASSPHRASE), { code: "backup_too_new" });
});

test("a backup is of one moment, while another process writes", async (t) => {
  const folder = scratch();
  const dataDir = join(folder, "data");
  const child = new Child(t, "../vault/support/writing.ts", dataDir);
  await child.hear();
  const counts: number[] = [];
  for (let n = 0; n < 3; n++) counts.push((await backup(dataDir, join(folder, `${n}.backup`), PASSPHRASE)).audit);
  assert.ok(!child.isGone, child.errors);
  await child.kill();
  assert.ok(
    counts.every((count, n) => n === 0 || count > (counts[n - 1] ?? 0)),
    `it wrote meanwhile: ${counts}`,
  );
  // Records and logs that do not belong together would be refused.
  for (let n = 0; n < 3; n++) await restore(join(folder, `${n}.backup`), join(folder, `restored-${n}`), PASSPHRASE);
});

/** All that a store holds. */
async function all(dataDir: string) {
  const store = await SqliteStore.open(dataDir);
  const snapshot = await store.snapshot();
  const [records, entries] = [[...snapshot.records()], [...snapshot.entries()]];
  snapshot.end();
  await store.close();
  const of = (log: string) => entries.filter((entry) => entry.log === log).length;
  return { records, entries, counts: { records: records.length, feed: of("feed"), audit: of("audit") } };
}
