// Cold start: a whole process that loads the code, seals one envelope and opens it. `node cold.mjs SUBJECT` is that
// process; `coldStarts()` measures them in turns.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";

const SELF = fileURLToPath(import.meta.url);
const LETTER = { id: "i", type: "core.msg", thread: "t", seq: 1, ttl: 2, text: '{"body":"hello"}' };

const SUBJECTS = {
  async "node alone"() {},
  async wasm() {
    const ours = await import("./ours.mjs");
    const { Identity } = await import("../dist/wasm/agentpair.js");
    ours.load();
    const [alice, bob] = [1, 2].map((n) => Identity.fromSeed(new Uint8Array(32).fill(n)));
    const wire = ours.seal(ours.PairKey.derive(alice, bob.agentId), LETTER);
    return ours.open(ours.PairKey.derive(bob, alice.agentId), wire, 0, 1).text;
  },
  async peer() {
    const peer = await import("./peer.mjs");
    const [alice, bob] = [1, 2].map((n) => peer.identity(new Uint8Array(32).fill(n)));
    const wire = peer.seal(alice, bob.agentId, LETTER);
    return peer.open(bob, alice.agentId, wire, 0, 1).text;
  },
};

/** Median milliseconds of each process. */
export function coldStarts(rounds = 7) {
  const names = Object.keys(SUBJECTS);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const start = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [SELF, name], { encoding: "utf8" });
      if (status !== 0) throw new Error(`cold start of ${name} failed: ${stderr}`);
      times[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
}

if (process.argv[1] === SELF) {
  const text = await SUBJECTS[process.argv[2]]();
  if (text !== undefined && text !== LETTER.text) throw new Error("the envelope did not come back");
}
