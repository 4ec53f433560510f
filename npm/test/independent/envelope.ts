// Sections 4 and 15: envelopes, their order of checks, and artifacts.
import assert, { deepEqual } from "node:assert/strict";
import {
  b64,
  cat,
  digest,
  hex,
  idOf,
  isNatural,
  isText,
  keyOf,
  lp,
  open,
  pairKey,
  publicKey,
  seal,
  sha,
  sign,
  strictObject,
  u64,
  unb64,
  unhex,
  utf8,
  verifies,
} from "./spec.ts";

const SEEDS = { alice: new Uint8Array(32).fill(1), bob: new Uint8Array(32).fill(2) };
type Name = keyof typeof SEEDS;

type Harness = {
  self: Name;
  nowUnix: number;
  isBonded?: boolean;
  lastAcceptedSeq?: number;
  dispatchError?: string;
};

type Headers = Record<"id" | "from" | "to" | "type" | "thread", string> & { seq: number; ttl: number };

/** ENV-10, steps 1 to 16; the peer of a bond is Alice. */
function receive(wire: Uint8Array, harness: Harness): string | { headers: Headers; plaintext: Uint8Array } {
  if (wire.length > 65_536) return "envelope_too_large";
  const outer = strictObject(wire);
  if (!outer || typeof outer.v !== "number") return "invalid_json";
  if (outer.v !== 1) return "unsupported_version";
  const { from, to, blob, sig } = outer;
  if (!isText(from) || !isText(to) || !isText(blob) || !isText(sig)) return "invalid_json";
  const bytes = unb64(blob);
  const body = bytes && strictObject(bytes);
  if (!bytes || !body || typeof body.v !== "number") return "invalid_json";
  const texts = ["id", "from", "to", "type", "thread", "payload"].map((key) => body[key]);
  if (!texts.every(isText) || !Number.isSafeInteger(body.seq) || !Number.isSafeInteger(body.ttl)) return "invalid_json";
  if (body.v !== 1) return "version_mismatch";
  const headers = body as Headers;
  if (harness.isBonded === false || headers.from !== idOf(SEEDS.alice)) return "recipient_not_allowed";
  if (!verifies(headers.from, bytes, sig)) return "invalid_signature";
  const self = SEEDS[harness.self];
  if (to !== headers.to || from !== headers.from || headers.to !== idOf(self)) return "routing_mismatch";
  if (headers.seq <= (harness.lastAcceptedSeq ?? 0)) return "stale_seq";
  if (headers.ttl <= harness.nowUnix) return "envelope_expired";
  const payload = unb64(body.payload as string);
  if (!payload || payload.length < 40) return "invalid_payload";
  const plaintext = open(pairKey(self, keyOf(headers.from) as Uint8Array), payload);
  if (!plaintext) return "invalid_payload";
  return harness.dispatchError ?? { headers, plaintext };
}

/** ENV-8. */
export const bind = (from: string, to: string, id: string, type: string, thread: string, seq: number) =>
  b64(digest("agentpair-bind-v1", lp(from), lp(to), lp(id), lp(type), lp(thread), u64(seq)).subarray(0, 16));

type Core = Headers & {
  sender: Name;
  recipient: Name;
  testOnlyNonceHex: string;
  plaintextUtf8: string;
  harness: Harness;
  expected: Record<"bodyJson" | "blob" | "sig" | "wire", string>;
};

export function core(file: Core): void {
  const [from, to] = [SEEDS[file.sender], SEEDS[file.recipient]];
  const nonce = unhex(file.testOnlyNonceHex);
  const payload = b64(seal(pairKey(from, publicKey(to)), nonce, utf8(file.plaintextUtf8)));
  const { id, type, thread, seq, ttl } = file;
  const bodyJson = JSON.stringify({ v: 1, id, from: idOf(from), to: idOf(to), type, thread, seq, ttl, payload });
  const blob = b64(utf8(bodyJson));
  const sig = sign(utf8(bodyJson), from);
  const wire = JSON.stringify({ v: 1, from: idOf(from), to: idOf(to), blob, sig });
  for (const [key, value] of Object.entries({ bodyJson, blob, sig, wire })) {
    assert.equal(value, file.expected[key as keyof Core["expected"]], key);
  }
  const opened = receive(utf8(wire), file.harness);
  assert(typeof opened === "object");
  deepEqual(opened.plaintext, utf8(file.plaintextUtf8));
}

type Negative = { cases: { name: string; wire?: string; bodySize?: number; expect: string; harness: Harness }[] };

export function negative(file: Negative): void {
  assert.equal(file.cases.length, 11);
  const any = file.cases.find((other) => other.expect === "stale_seq")?.wire as string;
  for (const { name, wire, bodySize, expect, harness } of file.cases) {
    const padding = (bodySize ?? 0) - any.length - ',"pad":""'.length;
    const text = wire ?? `${any.slice(0, -1)},"pad":"${"x".repeat(padding)}"}`;
    assert.equal(receive(utf8(text), harness), expect, name);
  }
}

export function payload(file: Core & { expectedPayloadBase64url: string }): void {
  const [from, to] = [SEEDS[file.sender], SEEDS[file.recipient]];
  const key = pairKey(from, publicKey(to));
  deepEqual(key, pairKey(to, publicKey(from)), "the key is the same in both directions");
  const sealed = seal(key, unhex(file.testOnlyNonceHex), utf8(file.plaintextUtf8));
  assert.equal(b64(sealed), file.expectedPayloadBase64url);
}

type Bind = {
  nowUnix: number;
  values: (Headers & { name: string; bind: string })[];
  wires: { name: string; wire: string; expect: string | null }[];
};

export function bound(file: Bind): void {
  for (const { name, from, to, id, type, thread, seq, bind: wanted } of file.values) {
    assert.equal(bind(from, to, id, type, thread, seq), wanted, name);
  }
  const harness: Harness = { self: "bob", nowUnix: file.nowUnix, lastAcceptedSeq: 2 };
  for (const { name, wire, expect } of file.wires) {
    const opened = receive(utf8(wire), harness);
    assert(typeof opened === "object", `${name} is refused before: ${opened}`);
    const { from, to, id, type, thread, seq } = opened.headers;
    const found = strictObject(opened.plaintext)?.bind;
    assert.equal(found === bind(from, to, id, type, thread, seq) ? null : "invalid_payload", expect, name);
  }
}

type Spill = Record<"plaintext_hex" | "key_hex" | "nonce_hex" | "blob_hex" | "hash", string> & { spill_ref: unknown };

export function artifact(file: Spill): void {
  const plaintext = unhex(file.plaintext_hex);
  const key = unhex(file.key_hex);
  const blob = seal(key, unhex(file.nonce_hex), plaintext, utf8("agentpair-artifact-v1"));
  assert.equal(hex(blob), file.blob_hex);
  assert.equal(hex(sha(blob)), file.hash);
  deepEqual(file.spill_ref, {
    spill: 1,
    artifact_hash: hex(sha(blob)),
    size: plaintext.length,
    content_type: "application/json",
    summary: [...new TextDecoder().decode(plaintext)].slice(0, 240).join(""),
    artifact_key: b64(key),
  });
  deepEqual(open(key, blob, utf8("agentpair-artifact-v1")), plaintext);
  assert.equal(open(key, cat(blob, new Uint8Array(1)), utf8("agentpair-artifact-v1")), undefined);
}

export function keys(file: Record<string, Record<"secretKeyHex" | "publicKeyHex" | "agentId", string>>): void {
  for (const [name, { secretKeyHex, publicKeyHex, agentId }] of Object.entries(file)) {
    assert.equal(hex(publicKey(unhex(secretKeyHex))), publicKeyHex, name);
    assert.equal(idOf(unhex(secretKeyHex)), agentId, name);
    assert.equal(hex(keyOf(agentId) as Uint8Array), publicKeyHex, name);
  }
}

type Texts = { accept: { input: string; decodedHex: string }[]; reject: { input: string; reason: string }[] };

export function base64url(file: Texts): void {
  for (const { input, decodedHex } of file.accept) {
    assert.equal(hex(unb64(input) as Uint8Array), decodedHex, input);
    assert.equal(b64(unhex(decodedHex)), input);
  }
  for (const { input, reason } of file.reject) assert.equal(unb64(input), undefined, reason);
  assert(isNatural(file.reject.length) && file.reject.length > 0);
}
