import { AgentPairError, asAgentPairError } from "../errors.js";
import type { Decision, Reply } from "../wasm/agentpair.js";
import { isRefusal } from "./is-refusal.js";
import type { Work } from "./loop.js";
import { codeIn } from "./pin-work.js";

/** What a human was shown: the id and the digest of a pending item. */
export interface ShownItem {
  id: string;
  digest: string;
}

/** How a human said it. */
export interface HereOptions {
  /** Words for a rejection; the peer may be told. */
  reason?: string | undefined;
  /** The PIN, where one is set. */
  pin?: string | undefined;
}

/** What came of it: a refusal is told when the new codes are stored. */
export type Outcome = { reply: Reply } | { refusal: AgentPairError };

/**
 * Decides an item that the human saw on this screen. All in one transaction: new codes are drawn, so that it does not
 * matter who has the old ones, and are used at once. So nobody can come between, and no attempt is spent.
 */
export function decideHere(
  shown: ShownItem,
  decision: Decision,
  { reason, proof }: { reason: string | undefined; proof: string | undefined },
): Work<Outcome> {
  return (engine, handle) => {
    const pending = shown.id;
    if (!engine.pendings().some(({ id, digest }) => id === pending && digest === shown.digest)) throw notWaiting();
    const { effects } = handle({ input: "command", command: { command: "reissue", pending } });
    const code = codeIn(effects, pending, decision);
    const command = { command: "decide", pending, code, channel: "page", reason, decision, proof } as const;
    try {
      return { reply: handle({ input: "command", command }).reply };
    } catch (error) {
      const refusal = asAgentPairError(error);
      if (!isRefusal(refusal)) throw error;
      return { refusal };
    }
  };
}

/** The error of whoever decides what is not there to be decided. */
export function notWaiting(): AgentPairError {
  const text = "this question does not wait any more: it was decided elsewhere, or it is too late";
  return new AgentPairError("pending_not_found", "policy", text);
}
