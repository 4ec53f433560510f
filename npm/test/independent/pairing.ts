// Sections 6 and 7: SPAKE2, fingerprints, tags, proofs, invites.
import assert from "node:assert/strict";
import { ed25519 } from "@noble/curves/ed25519.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import {
  asBytes,
  cat,
  hex,
  inDomain,
  isNatural,
  isText,
  keyOf,
  lp,
  type Members,
  NUL,
  sha,
  strict,
  strictObject,
  u16,
  unb64,
  unhex,
  utf8,
  verifies,
} from "./spec.ts";

const Point = ed25519.Point;
const ORDER = Point.Fn.ORDER;
const M = Point.fromHex("15cfd18e385952982b6a8f8c7854963b58e34388c8e6dae891db756481a02312");
const N = Point.fromHex("f04f2e7eb734b2a8f8b472eaf9c3c632576ac64aea650b496a8a20ff00e583c3");

type Role = "initiator" | "joiner";
const SIDES = { initiator: { byte: 0x41, own: M, other: N }, joiner: { byte: 0x42, own: N, other: M } };

/** One side: its message, and the key that it gets from the other's. */
function side(role: Role, code: string, session: string, scalarHex: string) {
  const password = utf8(code);
  const wide = hkdf(sha, password, undefined, utf8("SPAKE2 pw"), 48);
  const pw = BigInt(`0x${hex(wide)}`) % ORDER;
  const scalar = BigInt(`0x${hex(unhex(scalarHex).reverse())}`) % ORDER;
  const { byte, own, other } = SIDES[role];
  const point = Point.BASE.multiply(scalar).add(own.multiply(pw)).toBytes();
  const message = cat(Uint8Array.of(byte), point);
  const key = (peer: Uint8Array) => {
    const shared = Point.fromBytes(peer.subarray(1)).subtract(other.multiply(pw)).multiply(scalar).toBytes();
    const [x, y] = role === "initiator" ? [point, peer.subarray(1)] : [peer.subarray(1), point];
    const ids = ["initiator", "joiner"].map((who) => sha(utf8(`agentpair:${session}:${who}`)));
    return hex(sha(cat(sha(password), ...ids, x, y, shared)));
  };
  return { message: hex(message), key };
}

type HalfKnown = Record<
  "code" | "sessionId" | "knownScalarLeHex" | "knownMessageHex" | "peerMessageHex" | "sharedKeyHex",
  string
> & { knownRole: Role };

export function halfKnown(file: HalfKnown[]): void {
  assert.equal(file.length, 6);
  for (const vector of file) {
    const known = side(vector.knownRole, vector.code, vector.sessionId, vector.knownScalarLeHex);
    assert.equal(known.message, vector.knownMessageHex, vector.code);
    assert.equal(known.key(unhex(vector.peerMessageHex)), vector.sharedKeyHex, vector.code);
  }
}

type BothKnown = Record<
  | "name"
  | "code"
  | "sessionId"
  | "initiatorScalarLeHex"
  | "joinerScalarLeHex"
  | "initiatorMessageHex"
  | "joinerMessageHex"
  | "keyHex",
  string
>;

export function bothKnown(file: { cases: BothKnown[] }): void {
  for (const vector of file.cases) {
    const initiator = side("initiator", vector.code, vector.sessionId, vector.initiatorScalarLeHex);
    const joiner = side("joiner", vector.code, vector.sessionId, vector.joinerScalarLeHex);
    assert.equal(initiator.message, vector.initiatorMessageHex, vector.name);
    assert.equal(joiner.message, vector.joinerMessageHex, vector.name);
    assert.equal(initiator.key(unhex(joiner.message)), vector.keyHex, vector.name);
    assert.equal(joiner.key(unhex(initiator.message)), vector.keyHex, vector.name);
  }
}

type Golden = Record<"sharedKeyHex" | "initiatorId" | "joinerId" | "fingerprint" | "reversedFingerprint", string> & {
  profilesInit: string[];
  profilesJoin: string[];
};

const list = (ids: string[]) => cat(u16(ids.length), ...ids.map(lp));

export function fingerprintV2({ golden }: { golden: Golden }): void {
  const { sharedKeyHex, initiatorId, joinerId, profilesInit, profilesJoin } = golden;
  const parts = [lp(unhex(sharedKeyHex)), lp(initiatorId), lp(joinerId), list(profilesInit), list(profilesJoin)];
  assert.equal(hex(sha(cat(utf8("agentpair-pair-confirm-v2"), ...parts))), golden.fingerprint);
}

/** The older one: only its vector still exists. */
export function fingerprintV1({ golden }: { golden: Golden }): void {
  const of = (one: string, other: string) =>
    hex(sha(cat(utf8("agentpair-pair-confirm-v1"), lp(unhex(golden.sharedKeyHex)), lp(one), lp(other))));
  assert.equal(of(golden.initiatorId, golden.joinerId), golden.fingerprint);
  assert.equal(of(golden.joinerId, golden.initiatorId), golden.reversedFingerprint);
}

export function tags(file: {
  sharedKeyHex: string;
  cases: Record<"role" | "agentId" | "expectedTag", string>[];
}): void {
  for (const { role, agentId, expectedTag } of file.cases) {
    const text = cat(utf8("agentpair-pair-bondok-v1"), lp(unhex(file.sharedKeyHex)), lp(agentId));
    assert.equal(hex(sha(text)), expectedTag, role);
  }
}

type Signatures = {
  pairProofs: { name: Role; signer: string; fingerprint: string; sig: string }[];
  rootVouchers: Record<"name" | "root" | "bond" | "sig", string>[];
  withdrawals: Record<"name" | "session" | "signer" | "sig", string>[];
};

/** The table of section 3. */
export function signatures(file: Signatures): void {
  assert.equal(file.pairProofs.length, 2);
  for (const { name, signer, fingerprint, sig } of file.pairProofs) {
    for (const role of ["initiator", "joiner"] as const) {
      const said = inDomain("agentpair-pair-proof-v1", Uint8Array.of(SIDES[role].byte), NUL, unhex(fingerprint));
      assert.equal(verifies(signer, said, sig), role === name, `${name} as ${role}`);
    }
  }
  for (const { name, root, bond, sig } of file.rootVouchers) {
    assert(verifies(root, inDomain("agentpair-root-v1", keyOf(bond) as Uint8Array), sig), name);
  }
  for (const { name, session, signer, sig } of file.withdrawals) {
    assert(verifies(signer, inDomain("agentpair-invite-delete-v1", utf8(name), NUL, utf8(session)), sig), name);
  }
}

/** INV-2, with the answers of 17.9. */
function judge(body: string): string | null {
  if (asBytes(body).length > 8_192) return "payload_too_large";
  if (strict(body) === undefined) return "invalid_json";
  const { blob, sig } = strictObject(body) ?? {};
  if (!isText(blob) || !isText(sig)) return "invalid_invite";
  const bytes = unb64(blob);
  const said = bytes && strictObject(bytes);
  if (!bytes || !said) return "invalid_invite";
  const { v, name, agent_id, session_id, proposal, pake, expires_at } = said;
  const { scope, mode, initiatorAgentId } = (proposal ?? {}) as Members;
  const texts = [name, agent_id, session_id, mode, initiatorAgentId, pake];
  const hasShape = texts.every(isText) && isNatural(v) && isNatural(expires_at) && Array.isArray(scope);
  if (!hasShape || !(scope as unknown[]).every(isText) || !keyOf(agent_id as string)) return "invalid_invite";
  if (!verifies(agent_id as string, inDomain("agentpair-invite-v1", bytes), sig)) return "invalid_signature";
  const isInGrammar =
    /^[A-Za-z0-9_-]{1,32}$/.test(name as string) && /^[A-Za-z0-9._:-]{1,128}$/.test(session_id as string);
  return v === 1 && isInGrammar && initiatorAgentId === agent_id ? null : "invalid_invite";
}

export function invites(file: { cases: { name: string; body: string; expect: string | null }[] }): void {
  for (const { name, body, expect } of file.cases) assert.equal(judge(body), expect, name);
}
