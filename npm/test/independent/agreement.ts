// Sections 5, 11, 12, 13, 14: agreements, receipts, approvers, the audit log, the safety number.
import assert from "node:assert/strict";
import { argon2id } from "@noble/hashes/argon2.js";
import {
  cat,
  digest,
  hex,
  inDomain,
  isNatural,
  isText,
  keyOf,
  lp,
  type Members,
  sha,
  strict,
  strictObject,
  u64,
  unb64,
  unhex,
  utf8,
  verifies,
} from "./spec.ts";

type Deliverable = Record<"kind" | "media_type" | "name" | "text", string>;

type Agreement = Record<"thread" | "initiator" | "recipient" | "supersedes", string> & { deliverable: Deliverable };

/** RAT-1. */
function agreementDigest(said: Agreement, terms: Uint8Array): Uint8Array {
  const { kind, media_type, name, text } = said.deliverable;
  return digest(
    "agentpair-agreement-v1",
    lp(said.thread),
    lp(said.initiator),
    lp(said.recipient),
    terms,
    lp(kind),
    lp(media_type),
    lp(name),
    sha(utf8(text)),
    lp(said.supersedes),
  );
}

type AgreementCase = Agreement & Record<"name" | "terms" | "sha256" | "digest", string>;

export function agreements(file: { cases: AgreementCase[] }): void {
  for (const said of file.cases) {
    assert.equal(hex(sha(utf8(said.deliverable.text))), said.sha256, said.name);
    assert.equal(hex(agreementDigest(said, unhex(said.terms))), said.digest, said.name);
  }
}

/** PAY-4. */
function isCanonical(value: unknown): value is Deliverable {
  const { kind, media_type, name, text, ...others } = (value ?? {}) as Members;
  const isLabel = (label: unknown) =>
    isText(label) && utf8(label).length >= 1 && utf8(label).length <= 128 && !/\p{Cc}/u.test(label);
  if (Object.keys(others).length > 0 || !isText(text) || !isLabel(media_type) || !isLabel(name)) return false;
  if (!isText(kind) || !["text", "json", "openapi", "slot", "sow"].includes(kind)) return false;
  if (text === "" || utf8(text).length > 1_048_576 || /^\ufeff|\r/.test(text) || text.normalize("NFC") !== text) {
    return false;
  }
  const json = strict(text);
  return kind !== "json" || (typeof json === "object" && json !== null);
}

/** Section 5, `nego.open`. */
function isOpening(terms: Members | undefined): terms is Members {
  const { goal, acceptance, budget, mandate } = terms ?? {};
  const { max_turns, deadline } = (budget ?? {}) as Members;
  const { agent_may, human_required } = (mandate ?? {}) as Members;
  const texts = (list: unknown) => Array.isArray(list) && list.every(isText);
  const isCriterion = ({ id, test, desc }: Members) =>
    isText(id) && isText(desc) && (test === "executable" || test === "judgment");
  return (
    isText(goal) &&
    Array.isArray(acceptance) &&
    acceptance.every(isCriterion) &&
    isNatural(max_turns) &&
    max_turns >= 1 &&
    max_turns <= 1_000 &&
    isText(deadline) &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(deadline) &&
    !Number.isNaN(Date.parse(deadline)) &&
    texts(agent_may) &&
    texts(human_required)
  );
}

type Ratification = { approved_at: number; offer_expires_at: number; channel: string; sig: string };

const KEYS =
  "agreement deliverable format initiator initiator_ratified recipient recipient_ratified supersedes terms thread";

function isRatification(value: unknown): value is Ratification {
  const { approved_at, offer_expires_at, channel, sig } = (value ?? {}) as Members;
  return isNatural(approved_at) && isNatural(offer_expires_at) && isText(channel) && isText(sig);
}

/** RAT-9. */
function verifyReceipt(text: string): string | null {
  const file = strictObject(text);
  if (!file || Object.keys(file).sort().join(" ") !== KEYS) return "shape";
  const { initiator_ratified: one, recipient_ratified: other, deliverable } = file;
  const texts = ["agreement", "thread", "initiator", "recipient", "terms", "supersedes"].map((key) => file[key]);
  if (!texts.every(isText) || !isRatification(one) || !isRatification(other)) return "shape";
  const said = file as Agreement & { agreement: string; terms: string; format: string };
  if (!keyOf(said.initiator) || !keyOf(said.recipient)) return "shape";
  const terms = unb64(said.terms);
  const opening = terms && strictObject(terms);
  if (!terms || !isOpening(opening)) return "shape";
  if (said.format !== "agentpair-receipt-v1" || !isCanonical(deliverable)) return "shape";
  if (!/^([0-9a-f]{64})?$/.test(said.supersedes)) return "shape";
  const d = agreementDigest(said, sha(terms));
  if (hex(d) !== said.agreement || (opening.supersedes ?? "") !== said.supersedes) return "digest";
  const holds = (signer: string, { approved_at, offer_expires_at, channel, sig }: Ratification) =>
    verifies(
      signer,
      inDomain("agentpair-ratify-v1", d, lp(signer), u64(approved_at), u64(offer_expires_at), lp(channel)),
      sig,
    );
  if (!holds(said.initiator, one)) return "initiator_signature";
  if (!holds(said.recipient, other)) return "recipient_signature";
  const [first, second] = one.approved_at <= other.approved_at ? [one, other] : [other, one];
  return second.approved_at <= first.offer_expires_at ? null : "expired";
}

export function receipts(file: { cases: { name: string; receipt: string; expect: string | null }[] }): void {
  for (const { name, receipt, expect } of file.cases) assert.equal(verifyReceipt(receipt), expect, name);
}

type Approvals = {
  approvals: (Record<"name" | "approver" | "pending" | "decision" | "digest" | "agreement" | "sig", string> & {
    ok: boolean;
  })[];
  handovers: { name: string; from: string; version: number; to: string | null; sig: string; ok: boolean }[];
};

export function approvals(file: Approvals): void {
  for (const { name, approver, pending, decision, digest: shown, agreement, sig, ok } of file.approvals) {
    const said = inDomain("agentpair-approve-v1", lp(pending), lp(decision), lp(shown), lp(agreement));
    assert.equal(verifies(approver, said, sig), ok, name);
  }
  for (const { name, from, version, to, sig, ok } of file.handovers) {
    assert.equal(
      verifies(from, inDomain("agentpair-approver-v1", lp(from), u64(version), lp(to ?? "")), sig),
      ok,
      name,
    );
  }
}

type Entry = {
  n: number;
  at: number;
  act: string;
  bond?: string;
  facts?: [string, string][];
  prev: string;
  hash: string;
};

/** AUD-2, AUD-3: the number of the first record that does not fit. */
function firstFault(log: Entry[]): number | null {
  const [first] = log;
  let [n, prev] = first && first.n > 1 ? [first.n, first.prev] : [1, "0".repeat(64)];
  for (const entry of log) {
    const facts = (entry.facts ?? []).flat().map((text) => sha(utf8(text)));
    const named = [entry.act, entry.bond ?? ""].map((text) => sha(utf8(text)));
    const hash = digest("agentpair-audit-v1", lp(entry.prev), u64(entry.n), u64(entry.at), ...named, ...facts);
    if (entry.n !== n || entry.prev !== prev || entry.hash !== hex(hash)) return n;
    n += 1;
    prev = entry.hash;
  }
  return null;
}

type Audit = {
  logs: { name: string; records: Entry[]; expect: number | null }[];
  heads: { name: string; head: { n: number; hash: string; at: number; agentId: string; sig: string }; ok: boolean }[];
};

export function audit(file: Audit): void {
  for (const { name, records, expect } of file.logs) assert.equal(firstFault(records), expect, name);
  for (const { name, head, ok } of file.heads) {
    const said = inDomain("agentpair-audit-head-v1", lp(head.hash), u64(head.n), u64(head.at));
    assert.equal(verifies(head.agentId, said, head.sig), ok, name);
  }
}

type Safety = { cases: { name: string; one: string; other: string; keysDigest: string; safetyNumber: string[] }[] };

/** SAFE-1, SAFE-3. */
export function safety(file: Safety): void {
  for (const { name, one, other, keysDigest, safetyNumber } of file.cases) {
    const sorted = [one, other].map((id) => hex(keyOf(id) as Uint8Array)).sort();
    const both = cat(...sorted.map(unhex));
    assert.equal(hex(digest("agentpair-keys-v1", both)), keysDigest, name);
    const bytes = argon2id(both, utf8("agentpair-safety-number-v1"), {
      m: 65_536,
      t: 3,
      p: 1,
      dkLen: 25,
      version: 0x13,
    });
    const groups = (hex(bytes).match(/.{10}/g) ?? []).map((five) =>
      `${BigInt(`0x${five}`) % 1_000_000n}`.padStart(6, "0"),
    );
    assert.deepEqual(groups, safetyNumber, name);
  }
}
