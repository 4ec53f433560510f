import assert from "node:assert/strict";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { AgentPairError, Host, SqliteStore, type StoredRecord } from "agentpair";
import { Child } from "./support/child.ts";
import { scratch } from "./support/scratch.ts";

const COUNTING = "./counting.ts";

async function count(store: SqliteStore): Promise<number> {
  const records = await store.transact(0, ({ changes }) => changes);
  return Number(records.find(({ key }) => key === "n/count")?.value ?? 0);
}

test("W34_two_processes_write_one_store: two processes add to one counter, and nothing is lost", async (t) => {
  const directory = scratch();
  const children = [1, 2].map(() => new Child(t, COUNTING, directory, "300"));
  for (const child of children) assert.equal(await child.end(), 0, child.errors);
  const store = await SqliteStore.open(directory);
  assert.equal(await count(store), 600);
  const entries = await store.entries("feed", 0, 1_000);
  assert.deepEqual(
    entries.map(({ n }) => n),
    Array.from({ length: 600 }, (_, n) => n + 1),
  );
  await store.close();
});

test("W34_what_was_durable_survives_a_kill: what was durable survives a kill", async (t) => {
  const directory = scratch();
  const child = new Child(t, COUNTING, directory, "1000000");
  let told = 0;
  while (told < 50) told = await child.hear<number>();
  await child.kill();
  const store = await SqliteStore.open(directory);
  const found = await count(store);
  assert.ok(found >= told, `${found} of ${told}`);
  assert.equal((await store.entries("feed", 0, 1_000_000)).length, found, "records and logs go together");
  await store.close();
});

test("changes are told since a revision, deletions too", async () => {
  const store = await SqliteStore.open(scratch());
  const write = (...records: StoredRecord[]) =>
    store.transact(0, (transaction) => {
      transaction.write(records, []);
      return transaction.revision;
    });
  const first = await write({ key: "a/1", value: "1" }, { key: "a/2", value: "2" });
  const second = await write({ key: "a/1", value: undefined }, { key: "a/3", value: "3" });
  assert.ok(second > first);
  const since = (revision: number) => store.transact(revision, ({ changes, isWhole }) => ({ changes, isWhole }));
  assert.deepEqual(await since(first), {
    isWhole: false,
    changes: [
      { key: "a/1", value: undefined },
      { key: "a/3", value: "3" },
    ],
  });
  assert.deepEqual((await since(second)).changes, []);
  const whole = await since(0);
  assert.ok(whole.isWhole);
  assert.deepEqual(whole.changes.map(({ key }) => key).sort(), ["a/2", "a/3"]);
  await store.close();
});

test("many processes make one store at the same time", async (t) => {
  const directory = join(scratch(), "data");
  const children = Array.from({ length: 8 }, () => new Child(t, COUNTING, directory, "5"));
  for (const child of children) assert.equal(await child.end(), 0, child.errors);
  const store = await SqliteStore.open(directory);
  assert.equal(await count(store), 40);
  await store.close();
});

test("if the work fails, nothing is written", async () => {
  const store = await SqliteStore.open(scratch());
  const work = store.transact(0, (transaction) => {
    transaction.write([{ key: "a/1", value: "1" }], []);
    throw new Error("no");
  });
  await assert.rejects(work, /^Error: no$/);
  assert.deepEqual(await store.transact(0, ({ changes }) => changes), []);
  await store.close();
});

test("one process notices that another has written", async () => {
  const directory = scratch();
  const [one, other] = [await SqliteStore.open(directory), await SqliteStore.open(directory)];
  const before = await one.version();
  await one.transact(0, (transaction) => transaction.write([{ key: "a/1", value: "1" }], []));
  assert.equal(await one.version(), before, "its own writes do not count");
  await other.transact(0, (transaction) => transaction.write([{ key: "a/1", value: "2" }], []));
  assert.notEqual(await one.version(), before);
  await one.close();
  await other.close();
});

test("only the owner can read the directory and its files", async () => {
  const directory = join(scratch(), "deep", "data");
  const host = await Host.open({ dataDir: directory, network: false });
  const mode = (...path: string[]) => statSync(join(directory, ...path)).mode & 0o777;
  assert.equal(mode(), 0o700);
  assert.equal(mode("approvals"), 0o700);
  for (const file of ["agentpair.db", "agentpair.db-wal", "agentpair.db-shm"]) assert.equal(mode(file), 0o600, file);
  await host.close();
  chmodSync(directory, 0o755);
  chmodSync(join(directory, "agentpair.db"), 0o644);
  await (await Host.open({ dataDir: directory, network: false })).close();
  assert.equal(mode(), 0o700, "an open one is closed");
  assert.equal(mode("agentpair.db"), 0o600);
});

const DAMAGES: { [name: string]: (file: string) => void } = {
  "no database": (file) => writeFileSync(file, "this is a text\n".repeat(1_000)),
  "a torn page": (file) => {
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096, 4096 + 4000);
    writeFileSync(file, bytes);
  },
  "half a file": (file) => writeFileSync(file, readFileSync(file).subarray(0, 5_000)),
  "another program's database": (file) => {
    rmSync(file);
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE songs (title TEXT)");
    database.close();
  },
  "a record that is no JSON": (file) => {
    const database = new DatabaseSync(file);
    database.exec("UPDATE records SET value = substr(value, 2)");
    database.close();
  },
  "a record that was removed": (file) => {
    const database = new DatabaseSync(file);
    database.exec("DELETE FROM records WHERE key LIKE 'host/%'");
    database.close();
  },
  "only a journal left": (file) => {
    rmSync(file);
    appendFileSync(`${file}-wal`, "x");
  },
};

for (const [name, damage] of Object.entries(DAMAGES)) {
  test(`a damaged store is refused, in words: ${name}`, async () => {
    const directory = scratch();
    await (await Host.open({ dataDir: directory, network: false })).close();
    const file = join(directory, "agentpair.db");
    damage(file);
    for (const attempt of ["first", "second"]) {
      await assert.rejects(Host.open({ dataDir: directory, network: false }), (error: AgentPairError) => {
        assert.ok(error instanceof AgentPairError, `${attempt}: ${error}`);
        assert.equal(error.code, "store_corrupt", attempt);
        assert.match(error.message, /^the store .*agentpair\.db is damaged \(.+\): nothing was changed; restore/);
        return true;
      });
    }
  });
}

test("a store of a newer version is refused", async () => {
  const directory = scratch();
  await (await SqliteStore.open(directory)).close();
  const database = new DatabaseSync(join(directory, "agentpair.db"));
  database.exec("PRAGMA user_version = 99");
  database.close();
  await assert.rejects(SqliteStore.open(directory), { code: "store_too_new", message: /update this one/ });
});

test("a directory that cannot be made is told in words", async () => {
  const directory = scratch();
  writeFileSync(join(directory, "file"), "");
  mkdirSync(join(directory, "other"));
  await assert.rejects(SqliteStore.open(join(directory, "file", "data")), {
    code: "store_failed",
    message: /^cannot use the store .*: ENOTDIR/,
  });
});

test("an old Node is told in one sentence, and no warning is printed in a new one", async (t) => {
  const old = new Child(t, "./opening.mjs", scratch(), "20.11.0");
  assert.deepEqual(await old.hear(), {
    code: "node_too_old",
    message: "AgentPair needs Node.js 22.13 or newer; this is 20.11.0",
  });
  const current = new Child(t, "./opening.mjs", scratch());
  assert.deepEqual(await current.hear(), { code: "none", message: "" });
  await current.end();
  assert.equal(current.errors, "");
});
