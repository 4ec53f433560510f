import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryDisk, MemoryStore } from "agentpair/testing";

test("whoever does not ask what changed does not wait until all records were looked at", async () => {
  const disk = new MemoryDisk();
  const store = new MemoryStore(disk);
  const put = (key: string) => store.transact(undefined, (to) => to.write([{ key, value: "1" }], []));
  await put("a/1");
  const records = disk.records as unknown as { [Symbol.iterator]: unknown };
  records[Symbol.iterator] = () => assert.fail("all records were looked at");
  await put("a/2");
  delete records[Symbol.iterator];
  const { isWhole, changes } = await store.transact(0, (found) => found);
  assert.ok(isWhole);
  assert.deepEqual(
    changes.map(({ key }) => key),
    ["a/1", "a/2"],
  );
});
