import * as z from "zod";
import { findSession } from "../find.js";
import { peerName, session, threadName } from "../schemas.js";
import { sessionResult } from "../session.js";
import { tool } from "../tool.js";

/** Asks for more turns. */
export const sessionExtendBudget = tool({
  name: "session_extend_budget",
  title: "Ask for more turns",
  description: `Both humans decide on more turns: tell yours why they are needed, and converge instead if you can.
Asks your human whether to propose a higher max_turns (turns of both sides together, 1,000 at most). If they agree, the peer's human is asked for exactly that number.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    thread: threadName.describe("The session's thread."),
    peer: peerName.optional().describe("Whose session, if several peers have that thread."),
    new_max_turns: z.int().min(1).max(1_000).describe("The new number, not how many more."),
  }),
  fields: { session, pending_id: z.string() },
  async run({ host }, { thread, peer, new_max_turns: turns }) {
    const { view, bond } = await findSession(host, thread, peer);
    const pending_id = await host.extend(bond.id, view.thread, turns);
    const now = (await host.session(bond.id, view.thread)) ?? view;
    const suggested_next = "Your human decides first, then the peer's: inbox_wait tells when.";
    return { session: sessionResult(now, bond), pending_id, suggested_next };
  },
});
