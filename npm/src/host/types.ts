import type { Decision, Form, PendingView } from "../wasm/agentpair.js";
import type { WaitOptions } from "./wait.js";

/** How an invite shall be. */
export interface InviteOptions extends WaitOptions {
  /** `words` to be spoken (the default), `digits`, or a `link` to be sent or scanned. */
  form?: Form;
  /** What the bond is for; `message` and `negotiate` unless said otherwise. */
  scope?: string[];
  /** How long the bond lives; until it is revoked unless said otherwise. */
  mode?: "bonded_contact" | "ephemeral_until_session_closes";
  /** Base URL of the relay; the host's unless said otherwise. */
  relay?: string;
  /** The owner's name for the peer. */
  petname?: string;
}

/** An invite that the relay has. */
export interface Invite {
  /** The pairing. */
  pairing: string;
  /** The code to hand over. Whoever has it can bond. */
  code: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** How to use a code. */
export interface JoinOptions {
  /** Base URL of the relay; the host's unless said otherwise. A link's own relay goes first. */
  relay?: string;
  /** The owner's name for the peer. */
  petname?: string;
}

/** An item that waits for the human. */
export interface PendingItem extends PendingView {
  /** Where the human finds its codes: the path of a file, for hosts that use files. */
  place: string | undefined;
}

/** How a decision was made. */
export interface DecideOptions {
  /** How the code came, for the audit log; `file` unless said otherwise. */
  channel?: string;
  /** Words for a rejection. */
  reason?: string | undefined;
  /** What the human said: a code that stands for the other decision is wrong then. */
  decision?: Decision | undefined;
  /** The PIN, where one is set. It takes a good third of a second to check. */
  pin?: string | undefined;
}

/** How a message shall be sent. */
export interface SendOptions {
  /** What sort of message. */
  kind?: string;
  /** The thread; a new one unless said otherwise. */
  thread?: string;
  /** Seconds until it is not worth delivering. */
  ttl?: number;
}

/** A message that was stored for sending. */
export interface Sent {
  /** The message's own id; its delivery is told under it. */
  mid: string;
  /** The envelope's id. */
  id: string;
  /** The thread. */
  thread: string;
  /** Position in the thread. */
  seq: number;
}

/** A turn that was taken. */
export interface Taken {
  /** Its number. */
  turn: number;
  /** The hash of the deliverable that was put forward or accepted. */
  sha256: string;
}

/** A part of a log. */
export interface PageOptions {
  /** Entries after this number; from the beginning unless said otherwise. */
  since?: number;
  /** At most this many entries; 256 unless said otherwise. */
  limit?: number;
}
