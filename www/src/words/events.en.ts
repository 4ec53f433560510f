/** How pairings end. */
export const OUTCOMES = {
  bonded: "You are bonded.",
  pake_failed:
    "The code was wrong, or somebody tried to get between you. Nobody is bonded, and this code works no more. Make a new invite.",
  bond_tag_mismatch: "The pairing did not close properly. Nobody is bonded. Make a new invite.",
  bond_aborted: "The other side gave up before it was done. Nobody is bonded. Make a new invite.",
  rejected: "The other side said no. Nobody is bonded. If that surprises you, ask them.",
  approval_declined: "You said no. Nobody is bonded.",
  withdrawn: "You withdrew the invite. Its code works no more.",
  claimed_by_stranger:
    "Somebody used the invite, and did not know the code. A new invite, as a link, takes its place: send that to the other side.",
  pair_session_lost: "The other side did not finish in time. Nobody is bonded. Make a new invite.",
  invite_expired: "Nobody finished with this code in time. Make a new invite, or ask for a new code.",
  invite_not_found:
    "The relay knows no such invite. Check that the code is right, and that you both use the same relay.",
  invite_claimed:
    "Somebody has used this code already. If it was not you, tell the other side; in any case ask for a new one.",
  invalid_invite: "The invite at the relay is not what its maker signed. Nobody is bonded. Ask for a new one.",
  relay_has_no_invites: "This relay does not do invites. Use another relay.",
  bond_incomplete: "The other side never spoke, and the bond was given up. Make a new invite.",
};

/** Why a bond or a negotiation is over. */
export const REASONS = {
  bond_incomplete: "The other side never spoke.",
  ephemeral_ended: "This bond was for one negotiation, and that is over.",
  ephemeral_unused: "This bond was for one negotiation, and none began within a day.",
  open_rejected: "The one who was asked did not want to negotiate about this.",
  open_expired: "Nobody decided in time whether it should begin.",
  deadline_expired: "The deadline passed.",
  ratify_rejected: "One side did not ratify the text.",
  ratify_expired: "The text was not ratified by both sides in time.",
  bond_revoked: "The bond was revoked.",
  thread_closed: "One side closed it.",
  refused_by_peer: "The other side does not know this negotiation, maybe because it lost data.",
  undeliverable: "A part of it could not be delivered in time.",
  safety_number_differs: "The safety numbers of the two sides differed.",
  restored: "One side went back to a backup: what was said since then was lost there.",
};

/** Why something that one side sent was refused by the other. */
export const REFUSED = {
  envelope_too_large: "It was too large.",
  unsupported_version: "It was of a version that is not understood: one of you has to update.",
  invalid_json: "It was not readable.",
  version_mismatch: "It contradicted itself about its version.",
  recipient_not_allowed: "The receiver does not take messages on this bond, now or any more.",
  invalid_signature: "Its signature is wrong: somebody may have forged it.",
  routing_mismatch: "It was addressed to somebody else.",
  stale_seq: "It came out of order.",
  envelope_expired: "It came too late. If that happens often, a clock is wrong.",
  replayed_nonce: "It had been here before.",
  stale_timestamp: "It is older than can be checked. If that happens often, a clock is wrong.",
  invalid_payload: "It could not be opened or understood: one of you may have to update.",
  unsupported_envelope_type: "It is of a kind that is not known: one of you has to update.",
  profile_not_supported: "It is of a kind that this bond was not made for.",
  not_a_participant: "Its sender takes no part in this conversation.",
  thread_limit: "Too much is waiting on this bond.",
  bond_held: "The bond is held until you have both compared the safety number.",
  scope_not_granted: "This bond was not made for that.",
  session_not_found: "The receiver does not know this negotiation.",
  wrong_role: "Only the other side may do that.",
  thread_closed: "This conversation had ended.",
  session_not_live: "The negotiation was not at the point for this.",
  session_not_signed: "Not both sides had signed.",
  budget_exhausted: "All turns were used.",
  initiator_mismatch: "You both opened this conversation.",
  agreement_mismatch: "The two sides meant different terms or texts.",
  hash_frozen: "Both sides had signed another text.",
  not_approved: "The approval is missing that this side's human announced. Ask them: somebody may be forging.",
  ratify_expired: "It was ratified after the offer had ended.",
  thread_stalled: "Too much of this conversation waited for a large text.",
  artifact_not_found: "The large text that belongs to it is not at the relay any more. It has to be sent again.",
  artifact_too_large: "The text that belongs to it is too large.",
  artifact_decrypt_failed: "The large text that belongs to it came damaged. It has to be sent again.",
  payload_too_large: "It was too large for the relay.",
  unacknowledged: "It was sent five times, and never confirmed. Ask the other side.",
  bond_revoked: "The bond ended before it went out.",
  refused: "The other side gave no reason that is understood here.",
};

/** How far a message of one's own came. */
export const DELIVERY = {
  queued: "Waiting to be sent",
  relayed: "At the relay, not fetched yet",
  delivered: "Delivered",
  expired: "Not fetched in time. Send it again if it still matters.",
  refused: "Not taken.",
};
