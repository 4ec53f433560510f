import assert from "node:assert/strict";
import { test } from "node:test";
import { loadSqlite } from "../../dist/store/node-sqlite.js";
import { inOrder, KeyOrder } from "../../dist/vault/backup-order.js";

/** A prefix of another, one that is longer in UTF-8, and two whose order is another one in UTF-16. */
const KEYS = ["b/é", "b/\u{ff5e}", "b/\u{1f511}", "a/10", "a/1", "b/e", "a/2"];

test("the records of a backup have the order that SQLite gives them", async () => {
  const { DatabaseSync } = await loadSqlite();
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE records (key TEXT PRIMARY KEY)");
  for (const key of KEYS) database.prepare("INSERT INTO records VALUES (?)").run(key);
  const rows = database.prepare("SELECT key FROM records ORDER BY key").all();
  database.close();
  const keys = inOrder(KEYS.map((key) => ({ key, value: "" }))).map(({ key }) => key);
  assert.deepEqual(
    keys,
    rows.map(({ key }) => key),
  );
  assert.notDeepEqual(keys, [...KEYS].sort(), "not that of JavaScript");
  const order = new KeyOrder();
  for (const key of keys) assert.ok(order.takes(key), key);
  assert.ok(!order.takes(keys.at(-1) ?? ""), "none comes twice");
});

test("a sort reads each key once, however many there are", (t) => {
  const encode = t.mock.method(TextEncoder.prototype, "encode");
  const records = Array.from({ length: 2_000 }, (_, n) => ({ key: `a/${(n * 7_919) % 2_000}`, value: "" }));
  assert.equal(inOrder(records).length, 2_000);
  assert.equal(encode.mock.callCount(), 2_000);
});
