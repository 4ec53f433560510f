import type * as z from "zod";
import type { BondView, SessionView } from "../node.js";
import { untrusted } from "../untrusted.js";
import { NAME_CAP, nameWords } from "./frame.js";
import type { session } from "./schemas.js";
import { utc } from "./time.js";

/** A session as results show it. */
export type SessionResult = z.input<typeof session>;

/** A session as results show it. */
export function sessionResult(view: SessionView, { petname }: BondView): SessionResult {
  return {
    thread: nameWords(petname, view.thread),
    peer: petname,
    status: view.status as SessionResult["status"],
    your_turn: view.yourTurn,
    turns: view.turns,
    max_turns: view.maxTurns,
    turns_remaining: view.turnsRemaining,
    deadline: utc(view.terms.budget.deadline),
    opened_by: view.openedBy,
    artifact_hash: view.deliverable?.sha256,
    agreement: view.agreement,
    signed_by_me: view.signedByMe,
    signed_by_peer: view.signedByPeer,
    ratified_by_me: view.ratifiedByMe !== undefined,
    ratified_by_peer: view.ratifiedByPeer !== undefined,
    has_receipt: view.hasReceipt,
    reason: view.reason,
    words: view.words === undefined ? undefined : untrusted(petname, view.words, NAME_CAP),
    pending_id: view.pending,
    suggested_next: sessionHint(view),
  };
}

/** What to do next on a session. */
export function sessionHint(view: SessionView): string {
  const hint = NEXT_CALL[view.status] ?? "";
  const base = `${view.suggestedNext}${hint}`;
  const { status, turnsRemaining: left } = view;
  if (status !== "live" || left > 2) return base;
  const turns = left === 1 ? "1 turn is left" : `${left} turns are left`;
  return `${turns}: converge now (accept what is on the table, and sign), or extend with session_extend_budget. ${base}`;
}

/** The calls behind the words of the host. */
const NEXT_CALL: { [status: string]: string } = {
  pending: " (inbox_wait tells when)",
  live: " (session_msg, session_sign; inbox_wait tells when the peer moved, session_status shows it)",
  signed: " (inbox_wait tells when)",
  agreed: " (receipt)",
  ended: " (session_open)",
};
