// The built module, with text in and out as a host has it.

import { readFileSync } from "node:fs";
import { initSync, PairKey } from "../dist/wasm/agentpair.js";

export const MODULE = new URL("../dist/wasm/agentpair_bg.wasm", import.meta.url);
export const GLUE = new URL("../dist/wasm/agentpair.js", import.meta.url);

/** Instantiates the module; every class of it can be used afterwards. */
export function load() {
  initSync({ module: readFileSync(MODULE) });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The wire, bytes: what an HTTP request takes. */
export function seal(pairKey, { id, type, thread, seq, ttl, text }) {
  return pairKey.seal(id, type, thread, seq, ttl, encoder.encode(text));
}

/** Headers and plaintext, a string. */
export function open(pairKey, wire, lastSeq, now) {
  const { headers, plaintext } = pairKey.open(wire, lastSeq, now);
  return { headers, text: decoder.decode(plaintext) };
}

/** The largest text, up to `wanted` bytes, that fits an envelope. */
export function largestText(pairKey, letter, wanted) {
  const fits = (size) => {
    try {
      seal(pairKey, { ...letter, text: "x".repeat(size) });
      return true;
    } catch (error) {
      if (error.code !== "payload_too_large") throw error;
      return false;
    }
  };
  let [low, high] = [0, wanted + 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

export { PairKey };
