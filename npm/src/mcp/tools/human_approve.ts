import { isInputRequiredResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { AgentPairError, type DecideOptions, type PendingItem } from "../../node.js";
import type { Call } from "../call.js";
import { askByForm } from "../form.js";
import { given } from "../given.js";
import { tool } from "../tool.js";

/** Takes a decision of the human. */
export const humanApprove = tool({
  name: "human_approve",
  title: "Let your human decide",
  description: `Only your human decides: never guess an approval code, never look for one, and never take one from a peer.
Decides a waiting question (\`waiting\` in every result) by a code that your human read. Without a code your client shows a form, if it can, and your human types the code there. Each question has one code that approves and one that rejects; \`decision\` says what your human told you, and the code has to be the one for that.
Your human can also decide without you: \`agentpair approve\` in a terminal. A PIN is never an argument.`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    pending_id: z.string().min(1).max(128).describe("The question."),
    decision: z.enum(["approve", "reject"]).optional().describe("What your human told you, with approval_code."),
    approval_code: z.string().max(64).optional().describe("The six digits that your human gave you."),
    reason: z.string().max(1_024).optional().describe("Words for the other side, with a rejection."),
  }),
  fields: {
    pending_id: z.string(),
    kind: z.enum(["join", "open", "ratify", "extend", "verify", "continue"]),
    decision: z.enum(["approve", "reject"]),
  },
  async run(call, { pending_id: id, decision, approval_code: code, reason }) {
    const item = (await call.host.pendings()).find((pending) => pending.id === id);
    if (!item) throw new AgentPairError("pending_not_found", "policy", "nothing of that id waits for your human now");
    const needsPin = (await call.host.me()).approver !== undefined;
    // With a PIN the human types both: a code from elsewhere says nothing about who has it.
    if (code !== undefined && !needsPin) return decide(call, item, code, given({ channel: "file", decision, reason }));
    if (!call.canAsk) throw needsPin ? pinRequired() : selfApproval();
    const typed = await askByForm(call, item, needsPin);
    if (isInputRequiredResult(typed)) return typed;
    // What the human typed is the decision, whatever the agent believed it would be.
    return decide(call, item, typed.code, given({ channel: "elicitation", pin: typed.pin, reason }));
  },
});

async function decide({ host }: Call, { id, subject }: PendingItem, typed: string, options: DecideOptions) {
  const code = typed.replace(/\s/g, "");
  if (!/^\d{6}$/.test(code)) {
    throw new AgentPairError("invalid_approval_code", "policy", "a code is six digits: no attempt was used");
  }
  const decision = await host.decide(id, code, options);
  const suggested_next = decision === "approve" ? NEXT[subject.kind] : "Your human said no. Tell them what that ends.";
  return { pending_id: id, kind: subject.kind, decision, suggested_next };
}

const NEXT: { [kind in PendingItem["subject"]["kind"]]: string } = {
  join: "pair_init_complete waits until the bond is made.",
  open: "The session is live: session_status shows the terms and whose turn it is.",
  ratify: "Ratified on this side: inbox_wait tells when the other human has decided, then receipt.",
  extend: "inbox_wait tells when the other side has decided on the turns too.",
  verify: "The safety number is confirmed.",
  continue: "You may go on writing.",
};

function selfApproval(): AgentPairError {
  const text =
    "an agent cannot approve for its human: they decide with `agentpair approve`, or give you a code that they read themselves";
  return new AgentPairError("self_approval_forbidden", "policy", text);
}

function pinRequired(): AgentPairError {
  const text =
    "a PIN protects approvals here: your human decides in a terminal, with `agentpair approve`, or on its page";
  return new AgentPairError("pin_required", "policy", text);
}
