import { type InputRequiredResult, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { AgentPairError, type PendingItem } from "../node.js";
import type { Call } from "./call.js";

/** What a human typed in the form. */
export interface Typed {
  code: string;
  pin?: string;
}

const KEY = "decision";
const CODE = {
  type: "string",
  title: "Code",
  description: "The six digits from the approval file: one code approves, the other one rejects.",
  minLength: 6,
  maxLength: 16,
} as const;
const PIN = { type: "string", title: "PIN", description: "Your AgentPair PIN." } as const;

/**
 * Asks the human by a form of the client for a code, and for the PIN if one is set. Resolves with what was typed, or
 * with what has to be answered so that a client of 2026 asks.
 *
 * @throws AgentPairError `not_decided` unless the human typed a code and sent it.
 */
export async function askByForm(
  call: Call,
  item: PendingItem,
  needsPin: boolean,
): Promise<Typed | InputRequiredResult> {
  const properties = needsPin ? { code: CODE, pin: PIN } : { code: CODE };
  const params = {
    mode: "form" as const,
    message: messageOf(item),
    requestedSchema: { type: "object" as const, properties, required: Object.keys(properties) },
  };
  if (!call.isModern) return typedIn(await ask(call, params));
  const response = inputResponse(call.context.mcpReq.inputResponses, KEY);
  if (response.kind === "missing") return inputRequired({ inputRequests: { [KEY]: inputRequired.elicit(params) } });
  if (response.kind !== "elicit") throw notDecided("the client answered with something else than a form");
  return typedIn(response);
}

function messageOf({ question, place, expiresAt }: PendingItem): string {
  const where = place === undefined ? "" : ` All that it is about, and the codes, are in the file ${place}.`;
  const until = new Date(expiresAt).toISOString();
  return `AgentPair asks: ${question}${where} Type a code only if you have read that. It can be decided until ${until}.`;
}

/** Asks a client of 2025, which answers in its own time. */
async function ask(call: Call, params: { [name: string]: unknown }) {
  try {
    const options = { timeout: call.state.times.formMs, signal: call.signal };
    return await call.context.mcpReq.send({ method: "elicitation/create", params }, options);
  } catch (thrown) {
    if (call.signal.aborted) throw thrown;
    throw notDecided("the form was not answered in time, or could not be shown");
  }
}

function typedIn({ action, content }: { action: string; content?: { [name: string]: unknown } | undefined }): Typed {
  if (action !== "accept")
    throw notDecided(action === "decline" ? "your human declined the form" : "the form was closed");
  // `accept` alone proves nothing: a client may say so by itself.
  const { code, pin } = content ?? {};
  if (typeof code !== "string" || code.trim() === "") throw notDecided("the form came back without a code");
  return typeof pin === "string" && pin !== "" ? { code, pin } : { code };
}

function notDecided(what: string): AgentPairError {
  return new AgentPairError("not_decided", "policy", `${what}: nothing was decided, the question still waits`);
}
