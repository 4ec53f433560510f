import type * as z from "zod";
import type { Event, FeedItem } from "../node.js";
import { untrusted } from "../untrusted.js";
import { NAME_CAP, nameWords, peerPart } from "./frame.js";
import type { delivery, item } from "./schemas.js";
import { iso } from "./time.js";

/** An entry of the inbox. */
export type ItemResult = z.input<typeof item>;
/** News of a delivery. */
export type DeliveryResult = z.input<typeof delivery>;
/** An event that is about the delivery of an own message. */
export type DeliveryEvent = Extract<Event, { event: "delivery" }>;

type Names = (bond: string) => string;

/** A delivery as results show it. */
export function deliveryResult({ bond, mid, thread, state, code }: DeliveryEvent, names: Names): DeliveryResult {
  const peer = names(bond);
  return { mid, peer, thread: nameWords(peer, thread), state: state as DeliveryResult["state"], code: wordOf(code) };
}

/** An entry of the feed as results show it; `cap` bytes of a message at most. */
export function itemResult({ n, at, event }: FeedItem, names: Names, cap: number): ItemResult {
  const head = { n, at: iso(at), type: event.event };
  const peer = "bond" in event ? names(event.bond) : "";
  const thread = "thread" in event ? nameWords(peer, event.thread) : undefined;
  switch (event.event) {
    case "message": {
      const { text: body, next_offset } = peerPart(peer, event.body, 0, cap);
      const kind = event.kind === undefined ? undefined : untrusted(peer, event.kind, NAME_CAP);
      const missing_before = event.gap ? (true as const) : undefined;
      return { ...head, peer, thread, seq: event.seq, missing_before, kind, body, next_offset };
    }
    case "thread_closed": {
      if (event.reason === undefined) return { ...head, peer, thread };
      const { text: reason, next_offset } = peerPart(peer, event.reason, 0, cap);
      return { ...head, peer, thread, reason, next_offset };
    }
    case "bond_changed": {
      const { status, reason } = event;
      if (reason === undefined) return { ...head, peer, status };
      if (status !== "revoked_by_peer") return { ...head, peer, status, reason: nameWords(peer, reason) };
      const { text, next_offset } = peerPart(peer, reason, 0, cap);
      return { ...head, peer, status, reason: text, next_offset };
    }
    case "refused":
      return { ...head, peer, thread, code: wordOf(event.code) };
    case "session":
      return { ...head, peer, thread, status: event.status, cause: wordOf(event.cause) };
    case "pending":
      return { ...head, pending_id: event.pending };
    case "decided":
      return { ...head, pending_id: event.pending, decision: event.decision };
    case "pairing_ended": {
      const { pairing, outcome, replacedBy } = event;
      return { ...head, pairing, outcome: wordOf(outcome), replaced_by: replacedBy };
    }
    case "invite_published":
    case "invite_claimed":
      return { ...head, pairing: event.pairing };
    case "relay_trouble":
      return { ...head, relay: event.relay, code: wordOf(event.code) };
    case "clock_skew":
      return { ...head, relay: event.relay, seconds: event.seconds };
    default:
      return peer === "" ? head : { ...head, peer, thread };
  }
}

/** The text of an entry that can be read page by page, and whose it is. */
export function longTextOf({ event }: FeedItem): { member: "body" | "reason"; bond: string; text: string } | undefined {
  if (event.event === "message") return { member: "body", bond: event.bond, text: event.body };
  const isPeers =
    event.event === "thread_closed" || (event.event === "bond_changed" && event.status === "revoked_by_peer");
  if (!isPeers || event.reason === undefined) return undefined;
  return { member: "reason", bond: event.bond, text: event.reason };
}

/** A code is a word; what is none came from somebody else. */
function wordOf(code: string | undefined): string | undefined {
  return code === undefined || /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : "other";
}
