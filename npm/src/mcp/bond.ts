import type * as z from "zod";
import { isOver } from "../host/is-over.js";
import type { BaseHost, BondView } from "../node.js";
import { untrusted } from "../untrusted.js";
import { NAME_CAP, scopeWords } from "./frame.js";
import { BRAKE_AT } from "./loop.js";
import type { bond } from "./schemas.js";
import { iso } from "./time.js";

/** A bond as results show it. */
export type BondResult = z.input<typeof bond>;

/** From when on it is worth saying that a peer's agent has not looked, in milliseconds. */
const LONG_MS = 10 * 60_000;

/** Bonds as results show them. */
export async function bondResults(host: BaseHost, views: readonly BondView[]): Promise<BondResult[]> {
  const undelivered = new Map<string, number>();
  for (const { bond, kind } of await host.outbox()) {
    // Words between the hosts are not the agent's messages.
    if (kind.startsWith("bond.") || kind === "core.ack") continue;
    undelivered.set(bond, (undelivered.get(bond) ?? 0) + 1);
  }
  return views.map((view) => bondResult(view, undelivered.get(view.id) ?? 0));
}

function bondResult(view: BondView, undelivered: number): BondResult {
  return {
    peer: view.petname,
    bond: view.id,
    status: view.status,
    verified: view.verification !== undefined,
    must_verify: view.mustVerify,
    scope: view.scope.map((word) => scopeWords(view.petname, word)),
    mode: view.mode,
    label: view.peerLabel === undefined ? undefined : untrusted(view.petname, view.peerLabel, NAME_CAP),
    relay: view.relay,
    peer_seen_at: iso(view.peerSeenAt),
    peer_looked_at: view.peerLookedAt === undefined ? undefined : iso(view.peerLookedAt),
    attention: attention(view, undelivered, Date.now()),
    undelivered,
    braked: view.isBraked,
  };
}

/** What about a bond needs attention, in words. */
function attention(view: BondView, undelivered: number, now: number): string | undefined {
  if (isOver(view)) return undefined;
  const { status, unattended, peerLookedAt } = view;
  const found: string[] = [];
  if (status === "pending") found.push("the pairing is not complete yet");
  if (status === "held") found.push("held: nothing passes until your human confirmed the safety number");
  else if (view.mustVerify && view.verification === undefined) found.push("the safety number is not confirmed");
  if (status === "unreachable") found.push("the peer's relay refuses: messages wait here");
  if (view.isBraked) found.push("stopped: your human decides whether you may go on writing");
  else if (unattended >= BRAKE_AT / 2) {
    found.push(`${unattended} messages since your human last decided something: at ${BRAKE_AT} they are asked`);
  }
  if (undelivered === 1) found.push("1 message is not delivered yet");
  if (undelivered > 1) found.push(`${undelivered} messages are not delivered yet`);
  if (peerLookedAt !== undefined && peerLookedAt < now - LONG_MS) {
    found.push(`the peer's agent has not looked since ${iso(peerLookedAt)}`);
  } else if (peerLookedAt === undefined && unattended > 0) {
    found.push("the peer's agent has not looked yet, as far as its host has said");
  }
  return found.length === 0 ? undefined : found.join("; ");
}
