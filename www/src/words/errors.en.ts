/** What to say for a code: a sentence, or one that is made of what the package said. */
export type Saying = string | ((message: string) => string);

/** The same sentence for several codes. */
export function each<Code extends string>(codes: readonly Code[], saying: Saying): { [code in Code]: Saying } {
  return Object.fromEntries(codes.map((code) => [code, saying])) as { [code in Code]: Saying };
}

/** Codes that say: this page and that relay do not understand each other. */
export const MISUNDERSTOOD = [
  "method_not_allowed",
  "envelope_id_collision",
  "challenge_invalid",
  "sender_required",
  "invalid_sender",
  "invalid_through",
  "invalid_allowlist",
  "agent_id_mismatch",
  "allowlist_stale",
  "invalid_session_id",
  "pair_slot_changed",
  "invalid_claim",
  "auth_required",
  "length_required",
  "hash_mismatch",
  "agent_not_registered",
] as const;

/** Codes of faults that are nobody's but ours. */
export const FAULTS = ["serialise_failed", "invariant_broken", "unknown_call", "panicked"] as const;

/** What the package says of a text that has not the shape of a receipt. */
export const NO_RECEIPT = "this is not a receipt";

/** What went wrong with an act of the human, and what to do. */
export const ERRORS = {
  // --- what is not possible now
  bond_not_found: "This bond is not here any more. The first page shows the bonds that there are.",
  bond_not_active:
    "This bond is not in use: it still waits for the other side, or it is over. Wait, or invite them anew.",
  bond_held: "This bond is held until you have both compared the safety number. Compare it first.",
  scope_not_granted: "This bond was not made for that. Invite the other side anew, and allow it then.",
  profile_not_supported: "The other side's program cannot do this. It may need a newer version.",
  pair_not_found: "This invite is not here any more. Make a new one.",
  code_word_unknown: (message: string) => {
    const [, position, nearest] = /word (\d+) .*"([a-z]+)"/.exec(message) ?? [];
    const hint = nearest
      ? `Word ${position} of the code is not in our list. Is it “${nearest}”?`
      : "A word of the code is not in our list.";
    return `${hint} Nothing was sent, and no guess is spent.`;
  },
  code_malformed:
    "This is not an invite code. It is a number with words, six digits, or a link: read it again. Nothing was sent, and no guess is spent.",
  code_spent: "This code was used here already. Ask the other side for a new one.",
  pending_not_found: "This question is not open any more: it was decided, or its time has passed.",
  invalid_approval_code: "This approval code is wrong. Read it again: wrong ones are counted.",
  attempts_exhausted: "There were too many wrong tries today. You can decide again tomorrow, after midnight UTC.",
  pin_required: "Decisions here need your PIN. Type it, and decide again.",
  invalid_pin: "This PIN is wrong. Type it again: wrong ones are counted.",
  loop_brake: "The exchange on this bond was stopped until you let it go on. Decide what waits for you there.",
  not_now: (message: string) =>
    message.includes("memory")
      ? "This device has not enough free memory for it (64 MiB). Close other pages, and try again."
      : "Something else has to be over first: your last approval is still on its way. Wait a moment, and try again.",
  session_not_found: "This negotiation is not here any more. The page of the bond shows those that there are.",
  session_not_live: "The negotiation is not at the point for this. Look at where it stands now.",
  session_not_signed: "This is not signed by both sides yet. Wait for the other side.",
  thread_closed: "This conversation has ended. Begin another one.",
  budget_exhausted:
    "All turns are used, or more were asked for already. Ask for more turns, sign, or wait for the answer.",
  deadline_expired: "The deadline, or the other side's offer, has passed. Begin a new negotiation.",
  artifact_not_found: "The text of this proposal is not here. Ask the other side to propose it again.",
  artifact_superseded: "The other side has put another text forward since. Read that one, then accept it or answer.",
  agreement_mismatch:
    "The other side signed this text under other terms or another name. Compare the terms with them, and propose it again.",
  payload_too_large:
    "This is too large: 10 MiB for a message, 1 MiB for a text to agree on, 16 MiB for a whole negotiation. Send less.",
  hash_frozen: "Both sides signed another text already. Ratify that one, or close the negotiation.",
  signature_pending: "The other side has not confirmed your last signature yet. Wait for it, then sign.",
  thread_limit: "There are too many conversations on this bond. Go on with an old one.",
  invalid_budget: "The number of turns has to be from 1 to 1,000, and higher than it is now. Choose another one.",
  invalid_argument: (message: string) => `Something that was typed cannot be used: ${message}.`,
  deliverable_not_canonical: (message: string) =>
    `Both sides could not sign this text and be sure to see the same. To mend it: ${message}.`,
  invalid_receipt: (message: string) =>
    message === NO_RECEIPT
      ? "This is not a receipt of AgentPair. Choose the file that was downloaded as a receipt."
      : `This receipt proves nothing: ${message.replace(": ", ", so ")}. Do not rely on it.`,
  receipt_not_found: "There is no receipt yet: both sides have to ratify first.",
  invalid_audit: "This log was altered, or a part of it is missing. It proves nothing.",

  // --- this browser
  clock_skew: (message: string) => {
    const minutes = Math.round(Number(message) / 60);
    return `The clock of this device is about ${Math.abs(minutes)} minutes ${minutes > 0 ? "slow" : "fast"}, as the relay's clock says. Set it right: with a wrong clock, messages are refused and invites end at the wrong time.`;
  },
  timeout: "There was no answer in time. Try again; what was under way goes on by itself.",
  host_closed: "This page has let go of its data, maybe for another tab. Load it again.",
  storage_unavailable: (message: string) =>
    message.includes("http:")
      ? "This page came over plain http, where a browser protects no keys. Open it by https."
      : "This browser lets the page keep nothing, so there is no place for your keys. Private windows often do that: use a normal one, or allow this page to store data.",
  core_failed: "What encrypts could not be loaded: is there a connection? Reload the page.",
  storage_full:
    "There is no room left to store this, so it was not done. Free some space on this device, and try again.",
  store_gone:
    "What this page had stored is gone: the browser, or somebody, has deleted it. If you have a backup, restore it; otherwise begin anew, and tell the other side.",
  store_too_new:
    "A newer version of this page has stored these data. Load the page again; if that does not help, use the newer version.",
  store_corrupt: "What this page has stored is damaged, and nothing was changed. Restore a backup, if you have one.",
  corrupt_record: "What this page has stored is damaged, and nothing was changed. Restore a backup, if you have one.",
  store_failed: "The browser could not store this, so it was not done. Load the page again, and try once more.",
  safety_unavailable:
    "This device has not enough free memory to compute the number (64 MiB). Close other pages and try again, or compare by QR code.",
  no_memory: "This device has not enough free memory for it. Close other pages, and try again.",
  wrong_passphrase: "This is not the passphrase of that backup. Type it again: capitals and spaces count.",
  backup_damaged: "This backup is damaged or incomplete, and nothing was restored. Use another copy of it.",
  backup_too_new: "This backup was made by a newer version. Use that version to restore it.",
  no_backup: "This file is not a backup of AgentPair. Choose another one.",
  store_not_empty:
    "There are data here already, and restoring would replace them. Wipe this browser's data first, in the settings.",
  store_in_use: "Another tab has this open. Close all other tabs of this page, and try again.",
  wipe_pending:
    "The wipe has begun, and cannot be stopped: another tab, maybe a sleeping one, still holds the data, and they are deleted as soon as it is closed. Close all other tabs of this page, and do nothing here until then: it would be lost.",
  no_store: "Nothing is stored in this browser yet.",
  not_ours: "What is stored here under this name is not AgentPair's, and nothing was touched.",
  file_failed: "The file could not be read or written. Try again, maybe in another place.",
  directory_not_empty:
    "There are data here already, and restoring would replace them. Wipe this browser's data first, in the settings.",
  vault_locked: "The keys here are locked, and this page cannot open them. Restore your backup.",
  camera_denied:
    "This page may not use the camera. Allow it in the browser's settings for this page, or type the code.",
  camera_missing: "No camera was found, or another program is using it. Type the code instead.",
  core_unreachable:
    "The part of this page that encrypts could not be loaded. Check your connection, and load the page again.",
  no_wasm:
    "This browser does not run the part of this page that encrypts (WebAssembly). Update it, or allow WebAssembly for this page: lockdown modes switch it off.",
  unexpected: (message: string) =>
    `Something went wrong that should not: ${message}. Load the page again; if it comes back, report it.`,

  // --- the relay
  relay_unreachable:
    "The relay does not answer. Check your connection; if it is fine, the relay may be down: try again later.",
  no_answer: "The relay does not answer. It is tried again by itself; check your connection.",
  relay_nonsense: "What answers at the relay's address is not a relay. Check the address.",
  nonsense: "What answers at the relay's address is not a relay. Check the address.",
  not_found: "There is no relay at this address. Check the address.",
  bad_challenge:
    "This relay asks for a signature that it must not have, and gets none. Do not trust it: use another relay.",
  internal: "Something broke at the relay. Try again; if it stays so, tell whoever runs it.",
  relay_misconfigured: "The relay is not set up well. Tell whoever runs it, or use another one.",
  unavailable: "The relay cannot take this now. It is tried again by itself.",
  rate_limit_exceeded: "The relay was asked too often from your network. Wait some minutes, and try again.",
  inbox_full: "The other side's inbox at the relay is full. It is tried again by itself; ask them to open AgentPair.",
  quota_exceeded: "Your room for large texts at the relay is used up. It is freed within a week; send less until then.",
  registration_closed: "This relay takes only people that its operator knows. Ask the operator, or use another relay.",
  invite_taken: "Another invite has this name just now. Make a new one.",
  ...each(
    MISUNDERSTOOD,
    "This page and the relay do not understand each other. Load the page again; one of them may be too old.",
  ),
  ...each(FAULTS, "That was a fault of this page. Load it again; if it comes back, report it."),
} satisfies { [code: string]: Saying };
