// Section 16: challenges.
import assert from "node:assert/strict";
import { hmac } from "@noble/hashes/hmac.js";
import { b64, cat, digest, hex, NUL, sha, u32, unb64, unhex, utf8 } from "./spec.ts";

const PURPOSES = { pull: 1, purge: 2, live: 3, trim: 4, invite: 5 };
type Purpose = keyof typeof PURPOSES;

const origin = (host: string) => digest("agentpair-origin-v1", utf8(host)).subarray(0, 10);
const mac = (key: string, subject: string, head: Uint8Array) =>
  hmac(sha, unhex(key), cat(utf8("agentpair-challenge-v1"), NUL, utf8(subject), NUL, head)).subarray(0, 10);

type Issued = Record<"name" | "key" | "subject" | "host" | "random" | "challenge", string> & {
  purpose: Purpose;
  expiresAt: number;
};
type Checked = Record<"name" | "key" | "subject" | "challenge", string> & {
  purpose: Purpose;
  now: number;
  ok: boolean;
};
type Signable = Record<"name" | "challenge" | "host", string> & { purpose: Purpose; ok: boolean };

/** CHAL-3. */
function believes({ key, subject, purpose, challenge, now }: Checked): boolean {
  const bytes = unb64(challenge);
  if (bytes?.length !== 32 || hex(bytes.subarray(0, 2)) !== "a750") return false;
  const expiry = Number.parseInt(hex(bytes.subarray(3, 7)), 16);
  const isMade = hex(mac(key, subject, bytes.subarray(0, 22))) === hex(bytes.subarray(22));
  return isMade && bytes[2] === PURPOSES[purpose] && expiry > now;
}

/** CHAL-5. */
function signs({ challenge, host, purpose }: Signable): boolean {
  const bytes = unb64(challenge);
  if (challenge.length !== 43 || !bytes) return false;
  if (hex(bytes.subarray(0, 2)) !== "a750") return true;
  return bytes[2] === PURPOSES[purpose] && hex(bytes.subarray(12, 22)) === hex(origin(host));
}

export function challenges(file: { issued: Issued[]; checked: Checked[]; signable: Signable[] }): void {
  for (const { name, key, subject, purpose, host, expiresAt, random, challenge } of file.issued) {
    const head = cat(unhex("a750"), Uint8Array.of(PURPOSES[purpose]), u32(expiresAt), unhex(random), origin(host));
    assert.equal(b64(cat(head, mac(key, subject, head))), challenge, name);
  }
  for (const said of file.checked) assert.equal(believes(said), said.ok, said.name);
  for (const said of file.signable) assert.equal(signs(said), said.ok, said.name);
}
