// `make soak MINUTES=10 SEED=1`: pairs of real hosts talk and negotiate through a real relay, while hosts and the relay's
// server are killed at random, seeded times. Checks all along, and at the end, that every message arrived once and in
// order, that `delivered` was told only after the peer had it, that both sides of each negotiation agreed on the same,
// and that memory stays bounded. The last line is one JSON object; a violation makes the exit status 1.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { stopAll } from "./children.mjs";
import { Memory } from "./soak/memory.mjs";
import { Pair } from "./soak/pair.mjs";
import { Gone, Relay } from "./soak/processes.mjs";
import { randomOf } from "./soak/random.mjs";

const minutes = Number(process.env.MINUTES || 10);
const seed = Number(process.env.SEED || Math.floor(Math.random() * 1_000_000));
const pairCount = Number(process.env.PAIRS || 3);
if (![minutes, seed, pairCount].every((number) => number > 0)) {
  console.error("soak: MINUTES, SEED and PAIRS are positive numbers");
  process.exit(1);
}
const LOOK_MS = 15_000;
const GROWTH_MIB = 64;

const scratch = mkdtempSync(join(tmpdir(), "agentpair-soak-"));
const random = randomOf(seed);
const memory = new Memory();
const failures = [];
let isOver = false;

/** Does it again and again, until the time is up. */
async function repeat([shortest, longest], work) {
  for (;;) {
    const due = Date.now() + random(shortest, longest);
    while (Date.now() < due && !isOver) await pause(100);
    if (isOver) return;
    await work();
  }
}

function report(pairs, relay, began) {
  const sum = (pick) => pairs.map(pick).reduce((one, other) => one + other, 0);
  const seconds = Math.round((Date.now() - began) / 1_000);
  const received = sum(({ counts }) => counts.received);
  return {
    seconds,
    seed,
    pairs: pairs.length,
    sent: sum(({ counts }) => counts.sent),
    received,
    delivered: sum(({ counts }) => counts.delivered),
    agreements: sum(({ agreements }) => agreements),
    host_kills: sum(({ hosts }) => hosts[0].kills + hosts[1].kills),
    relay_kills: relay.kills,
    messages_per_second: Math.round((received / seconds) * 10) / 10,
    memory_mib: memory.summary,
    violations: [...pairs.flatMap(({ violations }) => violations), ...failures],
  };
}

async function soak() {
  const began = Date.now();
  const relay = await Relay.start(join(scratch, "relay"));
  const pairs = Array.from(
    { length: pairCount },
    (_, n) => new Pair(`p${n}`, scratch, relay.url, randomOf(seed + n + 1)),
  );
  for (const pair of pairs) await pair.start();
  console.error(`soak: seed ${seed}, ${pairCount} pairs, ${minutes} minutes`);

  const failed = (error) => {
    failures.push(error.stack);
    isOver = true;
  };
  const running = pairs.map((pair) => pair.run().catch(failed));
  // The first pair's hosts live to the end: their memory would show a leak.
  const mortal = pairs.slice(1).flatMap(({ hosts }) => hosts);
  const look = async () => {
    for (const pair of pairs) {
      // One of its hosts may be dead at this moment.
      await pair.check().catch((error) => (error instanceof Gone ? undefined : failed(error)));
    }
    const { violations, ...counts } = report(pairs, relay, began);
    console.error(JSON.stringify({ ...counts, violations: violations.length }));
    if (violations.length > 0) isOver = true;
    for (const { growth } of Object.values(counts.memory_mib)) if (growth > GROWTH_MIB) isOver = true;
  };
  const chaos = Promise.all([
    repeat([5_000, 40_000], () => relay.kill()),
    repeat([4_000, 20_000], () => mortal[random(0, mortal.length - 1)]?.kill()),
    repeat([2_000, 2_000], () => {
      memory.sample("workerd", relay.pid, 20_000);
      for (const { hosts } of pairs) for (const { pid } of hosts) memory.sample("host", pid, 60_000);
    }),
    repeat([LOOK_MS, LOOK_MS], look),
  ]).catch(failed);
  const end = Date.now() + minutes * 60_000;
  while (Date.now() < end && !isOver) await pause(200);
  isOver = true;
  await chaos;
  for (const pair of pairs) pair.end();
  await Promise.all(running);
  for (const pair of pairs) await pair.check();
  const result = report(pairs, relay, began);
  for (const [kind, { growth }] of Object.entries(result.memory_mib)) {
    if (growth > GROWTH_MIB) result.violations.push(`a ${kind} grew by ${growth} MiB`);
  }
  return result;
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    isOver = true;
  });
}
try {
  const result = await soak();
  console.log(JSON.stringify(result));
  if (result.violations.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await stopAll(10_000);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
