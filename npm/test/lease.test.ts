import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryDisk, MemoryStore } from "agentpair/testing";
import { LeaseKeeper } from "../dist/host/lease.js";

test("whoever waits for the lease looks at it again even if the clock was set back", async (t) => {
  const disk = new MemoryDisk();
  const [one, other] = [new LeaseKeeper(new MemoryStore(disk)), new LeaseKeeper(new MemoryStore(disk))];
  const start = Date.now();
  const clock = t.mock.method(Date, "now", () => start);
  await one.tend();
  await other.tend();
  assert.deepEqual([one.holds, other.holds], [true, false]);
  clock.mock.mockImplementation(() => start - 3_600_000);
  await one.release();
  await other.tend();
  assert.ok(other.holds);
  // It still does nothing most of the time.
  let looks = 0;
  const transact = t.mock.method(MemoryStore.prototype, "transact", () => {
    looks += 1;
    return Promise.resolve(true);
  });
  await other.tend();
  assert.equal(looks, 0);
  clock.mock.mockImplementation(() => start - 3_600_000 + 5_000);
  await other.tend();
  assert.equal(looks, 1);
  transact.mock.restore();
});
