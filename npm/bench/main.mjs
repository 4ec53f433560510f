// `make bench`: our wasm beside the draft's way on @noble/*, in one run. Nothing is asserted about time; the last line
// is one JSON object with the ratios (peer time / our time).

import { readFileSync } from "node:fs";
import { constants, gzipSync } from "node:zlib";
import { AgentId, Identity, PairKey, Spake, safetyNumber } from "../dist/wasm/agentpair.js";
import { coldStarts } from "./cold.mjs";
import { duel, median } from "./measure.mjs";
import * as ours from "./ours.mjs";
import * as peer from "./peer.mjs";

const SIZES = [64, 1024, 16_384, 46_080];
const NOW = 1_767_200_000;
const LETTER = {
  id: "00000000-0000-4000-8000-000000000000",
  type: "core.msg",
  thread: "550e8400-e29b-41d4-a716-446655440000",
  seq: 1,
  ttl: NOW + 3600,
};

ours.load();
const seeds = [1, 2].map((n) => new Uint8Array(32).fill(n));
const [alice, bob] = seeds.map((seed) => Identity.fromSeed(seed));
const [peerAlice, peerBob] = seeds.map((seed) => peer.identity(seed));
const aliceId = AgentId.parse(alice.agentId);
const toBob = PairKey.derive(alice, bob.agentId);
const toAlice = PairKey.derive(bob, alice.agentId);

console.log(`Node ${process.versions.node}, ${process.platform} ${process.arch}, one thread`);
console.log("Processor time of one call in microseconds; medians of nine alternated rounds.");
console.log("ratio = peer time / our time, also the median of the rounds.\n");
row("", "plaintext", "peer", "wasm", "ratio");

const ratios = { seal: {}, open: {} };
for (const size of SIZES) {
  // 46,080 bytes do not fit a wire of 65,536: base64 goes over them twice. The largest text that fits stands in.
  const bytes = size <= 16_384 ? size : ours.largestText(toBob, LETTER, size);
  const letter = { ...LETTER, text: `{"body":"${"x".repeat(bytes - 11)}"}` };
  const wire = ours.seal(toBob, letter);
  const peerWire = peer.seal(peerAlice, bob.agentId, letter);
  agree(wire, peerWire, letter.text);

  const seal = duel({
    wasm: () => ours.seal(toBob, letter),
    peer: () => peer.seal(peerAlice, bob.agentId, letter),
  });
  const open = duel({
    wasm: () => ours.open(toAlice, wire, 0, NOW),
    peer: () => peer.open(peerBob, alice.agentId, peerWire, 0, NOW),
  });
  const message = new TextEncoder().encode(letter.text);
  const signature = alice.sign(message);
  const verify = duel({
    wasm: () => aliceId.verify(message, signature),
    peer: () => peer.verify(alice.agentId, message, signature),
  });
  for (const [name, result] of Object.entries({ seal, open, verify })) {
    row(name, bytes, us(result.peer.us), us(result.wasm.us), result.wasm.ratio.toFixed(1));
  }
  ratios.seal[size] = round(seal.wasm.ratio);
  ratios.open[size] = round(open.wasm.ratio);
}

const spake = duel({
  "derive a pair key": () => PairKey.derive(alice, bob.agentId).free(),
  "SPAKE2, both sides": exchange,
});
console.log("\nwasm, microseconds");
for (const [name, { us: time }] of Object.entries(spake)) row(name, "", "", us(time));
row("safety number", "", "", us(median([0, 1, 2].map(timeSafetyNumber))));

console.log("\nbytes");
for (const [name, file] of [
  ["module", ours.MODULE],
  ["glue", ours.GLUE],
]) {
  const bytes = readFileSync(file);
  const gzip = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }).length;
  row(name, "", "raw", bytes.length);
  row(name, "", "gzip", gzip);
}

console.log("\nprocess that loads, seals and opens once, milliseconds");
for (const [name, ms] of Object.entries(coldStarts())) row(name, "", "", ms.toFixed(0));

console.log();
console.log(JSON.stringify(ratios));

/** Each opens what the other has sealed, or the comparison means nothing. */
function agree(wire, peerWire, text) {
  const texts = [
    ours.open(toAlice, new TextEncoder().encode(peerWire), 0, NOW).text,
    peer.open(peerBob, alice.agentId, new TextDecoder().decode(wire), 0, NOW).text,
  ];
  if (texts.some((opened) => opened !== text)) throw new Error("the two implementations disagree");
}

function exchange() {
  const a = Spake.start("initiator", "42-kancil-senja-biru", "s", seeds[0]);
  const b = Spake.start("joiner", "42-kancil-senja-biru", "s", seeds[1]);
  const [fromA, fromB] = [a.message, b.message];
  const [keyA, keyB] = [a.finish(fromB), b.finish(fromA)];
  if (Buffer.compare(keyA, keyB) !== 0) throw new Error("the two sides disagree");
}

function timeSafetyNumber() {
  const start = performance.now();
  safetyNumber(alice.agentId, bob.agentId);
  return (performance.now() - start) * 1000;
}

function row(...cells) {
  const widths = [20, 9, 10, 10, 7];
  const text = cells.map((cell, n) => {
    const width = widths[n];
    return n === 0 ? String(cell).padEnd(width) : String(cell).padStart(width);
  });
  console.log(text.join(" ").trimEnd());
}

function us(value) {
  return value.toFixed(value < 1000 ? 1 : 0);
}

function round(value) {
  return Math.round(value * 10) / 10;
}
