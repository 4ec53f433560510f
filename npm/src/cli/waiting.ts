import type { BaseHost } from "../common.js";
import { AgentPairError } from "../errors.js";
import { printable } from "../host/approval-text.js";
import type { PendingItem } from "../host/types.js";
import type { BondView, Decision } from "../wasm/agentpair.js";
import type { Call } from "./call.js";
import { decideHere } from "./decide.js";
import { untilSent } from "./sent.js";
import { iso } from "./times.js";

/** What waits for the human, for JSON: everything but its codes. */
export function pendingJson({ id, subject, question, expiresAt, place }: PendingItem) {
  return { pending_id: id, kind: subject.kind, question, expires_at: iso(expiresAt), approval_path: place };
}

/** Lets the human decide here, in a terminal; else says where. Resolves with the decision, if there is one. */
export async function decideOrSay(call: Call, host: BaseHost, id: string): Promise<Decision | undefined> {
  const item = (await host.pendings()).find((one) => one.id === id);
  if (!item) return undefined;
  if (call.isTerminal && !call.json) {
    const decision = await decideHere(call, host, id);
    if (decision !== undefined) return decision;
  }
  call.say(`${printable(item.question)} It waits for you: \`agentpair approve ${id}\`, or the codes in ${item.place}`);
  return undefined;
}

/** Tells the bond that a pairing led to, once its first words have left: the other side waits for them. */
export async function tellBond(call: Call, host: BaseHost, bond: BondView): Promise<void> {
  const { petname, id, status, mustVerify } = bond;
  await untilSent(call, host, id);
  call.print({ peer: petname, bond: id, status }, () => printable(petname));
  const name = printable(petname);
  call.say(
    status === "held" || mustVerify
      ? `${name} is bonded, and held until you both have compared the safety number: agentpair verify-peer ${name}`
      : `${name} is bonded. Compare the safety number when you can: agentpair verify-peer ${name}`,
  );
}

/**
 * Ends a pairing that led nowhere: gives it up unless it is over, and sees to it that the other side is told. A second
 * Ctrl-C ends the process at once.
 */
export async function giveUp(call: Call, host: BaseHost, pairing: string, words: string): Promise<void> {
  const { signal } = new AbortController();
  if ((await host.pairing(pairing)).outcome === undefined) {
    await host.cancel(pairing).then(
      () => call.say(words),
      // It was complete already.
      () => {},
    );
  }
  await untilSent(call, host, pairing, signal);
}

/** Waits until a pairing led to a bond, at most as long as its code works and its human may take. */
export async function untilBonded(call: Call, host: BaseHost, pairing: string, what: () => string): Promise<BondView> {
  const { expiresAt } = await host.pairing(pairing);
  // What came of it is told a little later than its end.
  const timeoutMs = Math.max(0, expiresAt - Date.now()) + 60_000;
  const bond = await call.progress(what, host.bonded(pairing, { timeoutMs, signal: call.signal }));
  if (!bond) throw new AgentPairError("timeout", "caller", "waited in vain for the other side");
  return bond;
}
