import { printable } from "../host/approval-text.js";
import { peerTextCap } from "../mcp/cap.js";
import { deliveryResult, itemResult } from "../mcp/item.js";
import { untrustedLines } from "../untrusted.js";
import type { BondView, FeedItem } from "../wasm/agentpair.js";
import { threadLines, threadName } from "./shown.js";
import { ago } from "./times.js";

/** Names of bonds for what is told about them. */
export type Names = (bond: string) => string;

/** The owner's names for the peers. */
export function namesOf(bonds: readonly BondView[]): Names {
  const names = new Map(bonds.map(({ id, petname }) => [id, petname]));
  return (bond) => names.get(bond) ?? bond;
}

/** Whether an entry of the feed is news to a human: not every step of a delivery or an invite is. */
export function isNews({ event }: FeedItem): boolean {
  if (event.event === "delivery") return event.state === "refused" || event.state === "expired";
  return event.event !== "invite_published" && event.event !== "invite_claimed";
}

/** Whether an entry ends a wait: troubles with a relay come and go, while what is waited for may be on its way. */
export function endsWait({ event }: FeedItem): boolean {
  return event.event !== "relay_trouble" && event.event !== "clock_skew";
}

/** An entry of the feed for JSON, as the tool `inbox` gives it; `whole` does not cut long texts. */
export function itemJson(item: FeedItem, names: Names, whole: boolean): object {
  const { event } = item;
  const shown = itemResult(item, names, whole ? Number.POSITIVE_INFINITY : peerTextCap());
  return event.event === "delivery" ? { ...shown, ...deliveryResult(event, names) } : shown;
}

/** An entry of the feed for a terminal. */
export function itemLines(item: FeedItem, names: Names): string[] {
  const { n, at, event } = item;
  const peer = "bond" in event ? printable(names(event.bond)) : undefined;
  const head = `#${n}  ${ago(at)}  ${peer === undefined ? "" : `${peer}: `}${headline(item)}`;
  // In pieces: a text may have more lines than a call can have arguments.
  const pieces = [[head]];
  if ("thread" in event) pieces.push(threadLines(event.thread));
  if (event.event === "message") {
    if (event.kind !== undefined) pieces.push(["  of the sort:"], untrustedLines(event.kind));
    pieces.push(untrustedLines(event.body));
  }
  if ((event.event === "bond_changed" || event.event === "thread_closed") && event.reason !== undefined) {
    pieces.push(untrustedLines(event.reason));
  }
  return pieces.flat();
}

function headline({ event }: FeedItem): string {
  const on = "thread" in event ? ` on thread ${threadName(event.thread)}` : "";
  switch (event.event) {
    case "message":
      return `a message${on}${event.gap ? ", and something before it is missing" : ""}`;
    case "thread_closed":
      return `closed the talk${on}`;
    case "delivery":
      return `your message ${event.mid}${on} was ${event.state}${event.code ? ` (${event.code})` : ""}`;
    case "refused":
      return `something of the peer was refused${on} (${event.code})`;
    case "session":
      return `the negotiation${on} is ${event.status} (${event.cause})`;
    case "bond_changed":
      return `the bond is ${event.status.replaceAll("_", " ")}`;
    case "bond_verified":
      return "you confirmed the safety number";
    case "peer_restored":
      return "the peer restored a backup: what it got since then is unknown to it";
    case "pending":
      return `something waits for you: agentpair approve ${event.pending}`;
    case "decided":
      return `you decided ${event.pending}: ${event.decision}`;
    case "pairing_ended":
      return `the pairing ended: ${event.outcome}`;
    case "invite_published":
      return "the relay has the invite";
    case "invite_claimed":
      return "somebody used the invite";
    case "clock_skew":
      return `the clocks of this machine and of ${event.relay} differ by ${Math.abs(event.seconds)} s: set this one right`;
    case "relay_trouble":
      return `the relay ${event.relay} cannot be used as it should (${event.code})`;
  }
}
