// Sections 1 and 3 of SPEC.md, and the strict JSON of ENV-2, by the noble libraries: nothing of ours is called.
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";

export { bytesToHex as hex, concatBytes as cat, hexToBytes as unhex, sha256 as sha };

export const utf8 = (text: string) => new TextEncoder().encode(text);
const big = (n: number | bigint, bytes: number) =>
  hexToBytes(
    BigInt(n)
      .toString(16)
      .padStart(bytes * 2, "0"),
  );
export const u16 = (n: number) => big(n, 2);
export const u32 = (n: number) => big(n, 4);
export const u64 = (n: number) => big(n, 8);
export const NUL = new Uint8Array(1);
export const asBytes = (part: string | Uint8Array) => (typeof part === "string" ? utf8(part) : part);

export function lp(part: string | Uint8Array): Uint8Array {
  const bytes = asBytes(part);
  return concatBytes(u16(bytes.length), bytes);
}

/** name, NUL, parts */
export const inDomain = (name: string, ...parts: Uint8Array[]) => concatBytes(utf8(name), NUL, ...parts);
export const digest = (name: string, ...parts: Uint8Array[]) => sha256(inDomain(name, ...parts));

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** ENV-1: nothing for what is not the one spelling of some bytes. */
export function unb64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bits = [...text].map((c) => ALPHABET.indexOf(c).toString(2).padStart(6, "0")).join("");
  const spare = bits.length % 8;
  if (spare >= 6 || bits.slice(bits.length - spare).includes("1")) return undefined;
  return Uint8Array.from(bits.slice(0, bits.length - spare).match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

export function b64(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,6}/g) ?? []).map((six) => ALPHABET[Number.parseInt(six.padEnd(6, "0"), 2)]).join("");
}

/** ID-1: the key of an agent id, if it is one. */
export function keyOf(id: string): Uint8Array | undefined {
  const key = id.startsWith("ed25519:") ? unb64(id.slice(8)) : undefined;
  if (key?.length !== 32) return undefined;
  try {
    return ed25519.Point.fromBytes(key, false).isSmallOrder() ? undefined : key;
  } catch {
    return undefined;
  }
}

export const publicKey = (seed: Uint8Array) => ed25519.getPublicKey(seed);
export const idOf = (seed: Uint8Array) => `ed25519:${b64(publicKey(seed))}`;
export const sign = (message: Uint8Array, seed: Uint8Array) => b64(ed25519.sign(message, seed));

/** ID-3. */
export function verifies(id: string, message: Uint8Array, sig: string): boolean {
  const [key, bytes] = [keyOf(id), unb64(sig)];
  if (!key || bytes?.length !== 64) return false;
  try {
    return (
      !ed25519.Point.fromBytes(bytes.subarray(0, 32), false).isSmallOrder() &&
      ed25519.verify(bytes, message, key, { zip215: false })
    );
  } catch {
    return false;
  }
}

/** Section 3.1. */
export function pairKey(seed: Uint8Array, peer: Uint8Array): Uint8Array {
  const shared = x25519.getSharedSecret(ed25519.utils.toMontgomerySecret(seed), ed25519.utils.toMontgomery(peer));
  return hkdf(sha256, shared, undefined, utf8("agentpair-envelope-v1"), 32);
}

/** nonce, ciphertext, tag */
export function seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, associated?: Uint8Array): Uint8Array {
  return concatBytes(nonce, xchacha20poly1305(key, nonce, associated).encrypt(plaintext));
}

export function open(key: Uint8Array, sealed: Uint8Array, associated?: Uint8Array): Uint8Array | undefined {
  try {
    return xchacha20poly1305(key, sealed.subarray(0, 24), associated).decrypt(sealed.subarray(24));
  } catch {
    return undefined;
  }
}

export type Members = Record<string, unknown>;

/** ENV-2, as far as the vectors go: nothing for what is no JSON or has a key twice. */
export function strict(text: string | Uint8Array): unknown {
  let value: unknown;
  let json: string;
  try {
    json = typeof text === "string" ? text : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const open: (Set<string> | undefined)[] = [];
  for (const [token, , colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[[\]{}]/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (colon) {
      const [key, keys] = [JSON.parse(token.slice(0, token.length - colon.length)) as string, open.at(-1)];
      if (keys?.has(key)) return undefined;
      keys?.add(key);
    }
  }
  return value;
}

export function strictObject(text: string | Uint8Array): Members | undefined {
  const value = strict(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isNatural = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
