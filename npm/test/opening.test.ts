import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { scratch } from "./support/scratch.ts";

/** Opens a new store again and again, each at the moment at which the others do. Tells why it could not. */
const OPENER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { agentpair, directory, rounds, threads, counter } = workerData;
  (async () => {
    const { SqliteStore } = await import(agentpair);
    const problems = [];
    for (let round = 1; round <= rounds; round++) {
      Atomics.add(counter, 0, 1);
      while (Atomics.load(counter, 0) < round * threads);
      await SqliteStore.open(directory + round).then((store) => store.close(), ({ message }) => problems.push(message));
    }
    parentPort.postMessage(problems);
  })();
`;

test("whoever makes a store at the same moment as others waits for them", async () => {
  const threads = 3;
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const agentpair = import.meta.resolve("agentpair");
  const workerData = { agentpair, directory: join(scratch(), "data"), rounds: 60, threads, counter };
  const workers = Array.from({ length: threads }, () => new Worker(OPENER, { eval: true, workerData }));
  const told = await Promise.all(workers.map((worker) => once(worker, "message")));
  assert.deepEqual(told.flat(2), []);
});
