import * as z from "zod";
import { findSession } from "../find.js";
import { hash, peerName, session, threadName } from "../schemas.js";
import { sessionResult } from "../session.js";
import { tool } from "../tool.js";

/** Signs a deliverable. */
export const sessionSign = tool({
  name: "session_sign",
  title: "Sign a deliverable",
  description: `Sign only a text that you have read whole (session_status with deliverable) and that meets your human's terms.
Names, by its hash, the deliverable that this side would agree to. When both agents named the same one it is frozen, and each human is asked to ratify that exact text: signing alone binds nobody.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    thread: threadName.describe("The session's thread."),
    peer: peerName.optional().describe("Whose session, if several peers have that thread."),
    artifact_hash: hash.describe("SHA-256 of the deliverable, as a turn shows it."),
  }),
  fields: { session, pending_id: z.string().optional() },
  async run({ host }, { thread, peer, artifact_hash: sha256 }) {
    const { view, bond } = await findSession(host, thread, peer);
    await host.sign(bond.id, view.thread, sha256);
    const now = (await host.session(bond.id, view.thread)) ?? view;
    const shown = sessionResult(now, bond);
    return { session: shown, pending_id: now.pending, suggested_next: shown.suggested_next };
  },
});
