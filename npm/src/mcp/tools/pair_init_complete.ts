import * as z from "zod";
import { AgentPairError, type BondView } from "../../node.js";
import { bondResults } from "../bond.js";
import type { Call } from "../call.js";
import { tail } from "../feed.js";
import { bond } from "../schemas.js";
import { tool } from "../tool.js";
import { isTimeout, LONGEST_MS, waitingFor } from "../wait.js";

/** Waits for the end of a pairing. */
export const pairInitComplete = tool({
  name: "pair_init_complete",
  title: "Wait for a pairing",
  description: `A bond says that the other side had the code, and nothing about who that is: compare the safety number before you rely on it.
Waits until a pairing is over: one that pair_init began, or pair_join. Without arguments it is the newest one. Call it again while the status is \`waiting\`.`,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    pairing: z.string().max(128).optional().describe("The pairing; the newest one if absent."),
    code: z.string().max(512).optional().describe("Instead: the code that pair_init returned."),
    timeout_ms: z.int().min(0).max(LONGEST_MS).default(30_000).describe("How long to wait, in milliseconds."),
  }),
  fields: {
    pairing: z.string(),
    status: z.enum(["waiting", "bonded", "failed"]),
    outcome: z.string().optional(),
    replaced_by: z.object({ pairing: z.string(), code: z.string().optional() }).optional(),
    bond: bond.optional(),
  },
  async run(call, { pairing: named, code, timeout_ms: timeoutMs }) {
    const pairing = named ?? (await pairingOf(call, code));
    // An unknown one is an error, not a pairing that failed.
    await call.host.pairing(pairing);
    try {
      const wait = () => call.host.bonded(pairing, { timeoutMs, signal: call.signal });
      const view = await waitingFor(call, "the other side", timeoutMs, wait);
      const [bond] = await bondResults(call.host, [view]);
      return { pairing, status: "bonded" as const, bond, suggested_next: nextOf(view) };
    } catch (error) {
      if (call.signal.aborted || !(error instanceof AgentPairError)) throw error;
      if (isTimeout(error)) {
        const suggested_next = "The other side, or a human, is still to act: call pair_init_complete again.";
        return { pairing, status: "waiting" as const, suggested_next };
      }
      if (error.blame === "bug" || error.code === "host_closed") throw error;
      const replaced_by = await replacement(call, pairing);
      const next = replaced_by ? "A link takes its place: show its code to your human." : "Tell your human.";
      const suggested_next = `${error.message}. ${next}`;
      return { pairing, status: "failed" as const, outcome: error.code, replaced_by, suggested_next };
    }
  },
});

async function pairingOf({ host, state }: Call, code: string | undefined): Promise<string> {
  const views = await host.pairings();
  const named =
    code === undefined
      ? // Another process began it: the one that lasts longest.
        (state.pairing ?? views.sort((one, other) => other.expiresAt - one.expiresAt)[0]?.id)
      : // It is shown while its invite waits; later only the process that made it remembers it.
        (views.find((view) => view.code === code)?.id ?? state.codes.get(code));
  if (named !== undefined) return named;
  throw new AgentPairError("pair_not_found", "policy", "there is no such pairing: begin with pair_init or pair_join");
}

/** The invite that took the place of one that a stranger claimed. */
async function replacement({ host }: Call, pairing: string) {
  for await (const { event } of tail(host, 256)) {
    if (event.event !== "pairing_ended" || event.pairing !== pairing || event.replacedBy === undefined) continue;
    const view = (await host.pairings()).find(({ id }) => id === event.replacedBy);
    return { pairing: event.replacedBy, code: view?.code };
  }
  return undefined;
}

function nextOf({ petname, status }: BondView): string {
  if (status === "held")
    return `Both humans compare the safety number now: safety_number with ask_human, for ${petname}.`;
  return `You are bonded with ${petname}. safety_number lets both humans check that nobody stands between; send and session_open reach the peer.`;
}
