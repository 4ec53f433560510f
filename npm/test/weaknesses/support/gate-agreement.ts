import { createHash } from "node:crypto";
import type { Deliverable, Host } from "agentpair";
import { keysUnder, record } from "../../mcp/e2e/support/database.ts";
import type { Pen } from "../../mcp/e2e/support/pen.ts";
import { type Approved, lengthPrefixed, ratifyBytes } from "../../support/transcript.ts";

export const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");

/** What two sides may agree on. */
export interface Stake {
  thread: string;
  initiator: string;
  recipient: string;
  /** The exact plaintext of the opening. */
  opening: string;
}

/** What a session of a host is about, out of its store. */
export function stakeOf(host: Host, bond: { id: string; own: string; peer: string }, thread: string): Stake {
  for (const key of keysUnder(host.dataDir, `session/${bond.id}/`)) {
    const session = JSON.parse(record(host.dataDir, key) ?? "{}");
    if (session.thread !== thread) continue;
    const [initiator, recipient] = session.opened_by === "me" ? [bond.own, bond.peer] : [bond.peer, bond.own];
    return { thread, initiator, recipient, opening: session.plaintexts[0] };
  }
  throw new Error(`no session on ${thread}`);
}

/** The digest of an agreement, RAT-1. */
export function agreementOf({ thread, initiator, recipient, opening }: Stake, deliverable: Deliverable): string {
  const { kind, media_type, name, text } = deliverable;
  const hash = createHash("sha256").update("agentpair-agreement-v1\0");
  for (const part of [thread, initiator, recipient]) hash.update(lengthPrefixed(part));
  hash.update(createHash("sha256").update(opening).digest());
  for (const part of [kind, media_type, name]) hash.update(lengthPrefixed(part));
  return hash.update(createHash("sha256").update(text).digest()).update(lengthPrefixed("")).digest("hex");
}

/** A `nego.ratified` of a peer, with its good signature; `more` replaces members afterwards. */
export function ratified(pen: Pen, thread: string, sha256: string, said: Partial<Approved>, more: object = {}): object {
  const approved_at = Date.now();
  const times = { approved_at, offer_expires_at: approved_at + 600_000 };
  const approved: Approved = { agreement: "", signer: "", channel: "file", ...times, ...said };
  const { signer: _, ...rest } = approved;
  return { thread, artifact_hash: sha256, ...rest, ratify_sig: pen.sign(ratifyBytes(approved)), ...more };
}
