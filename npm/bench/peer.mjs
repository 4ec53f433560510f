// Seal, open and verify as the draft's TypeScript implementation does them on @noble/*: the shared key derived for each
// envelope, Ed25519 verified in the library's default mode, base64url decoded strictly. Its schema checks are left out,
// and Node's own base64 is used: both in its favour.

import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";

const INFO = new TextEncoder().encode("agentpair-envelope-v1");
const PREFIX = "ed25519:";

const encode = (bytes) => Buffer.from(bytes).toString("base64url");

function decode(text) {
  const bytes = Buffer.from(text, "base64url");
  if (text === "" || bytes.toString("base64url") !== text) throw new Error("invalid_json");
  return bytes;
}

const publicKey = (agentId) => {
  if (!agentId.startsWith(PREFIX)) throw new Error("invalid_signature");
  return decode(agentId.slice(PREFIX.length));
};

/** A key pair of a seed of 32 bytes. */
export function identity(seed) {
  return { seed, agentId: PREFIX + encode(ed25519.getPublicKey(seed)) };
}

function payloadKey(own, peerId) {
  const secret = ed25519.utils.toMontgomerySecret(own.seed);
  const shared = x25519.getSharedSecret(secret, ed25519.utils.toMontgomery(publicKey(peerId)));
  return hkdf(sha256, shared, undefined, INFO, 32);
}

/** The wire, a string. */
export function seal(own, to, { id, type, thread, seq, ttl, text }) {
  const nonce = crypto.getRandomValues(new Uint8Array(24));
  const sealed = xchacha20poly1305(payloadKey(own, to), nonce).encrypt(new TextEncoder().encode(text));
  const payload = encode(Buffer.concat([nonce, sealed]));
  const body = { v: 1, id, from: own.agentId, to, type, thread, seq, ttl, payload };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const sig = encode(ed25519.sign(bytes, own.seed));
  return JSON.stringify({ v: 1, from: own.agentId, to, blob: encode(bytes), sig });
}

/** Headers and plaintext, a string. */
export function open(own, peerId, wire, lastSeq, now) {
  if (Buffer.byteLength(wire) > 65_536) throw new Error("envelope_too_large");
  const outer = JSON.parse(wire);
  if (outer.v !== 1) throw new Error("unsupported_version");
  const bytes = decode(outer.blob);
  const body = JSON.parse(new TextDecoder().decode(bytes));
  if (body.v !== outer.v) throw new Error("version_mismatch");
  if (body.from !== peerId) throw new Error("recipient_not_allowed");
  if (!verify(body.from, bytes, decode(outer.sig))) throw new Error("invalid_signature");
  if (outer.to !== body.to || outer.from !== body.from || body.to !== own.agentId) {
    throw new Error("routing_mismatch");
  }
  if (body.seq <= lastSeq) throw new Error("stale_seq");
  if (body.ttl <= now) throw new Error("envelope_expired");
  const payload = decode(body.payload);
  const cipher = xchacha20poly1305(payloadKey(own, body.from), payload.subarray(0, 24));
  const text = new TextDecoder().decode(cipher.decrypt(payload.subarray(24)));
  return { headers: body, text };
}

/** Whether the signature is the agent's. */
export function verify(agentId, message, signature) {
  return ed25519.verify(signature, message, publicKey(agentId));
}
