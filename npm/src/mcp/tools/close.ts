import * as z from "zod";
import { AgentPairError, type BaseHost } from "../../node.js";
import { findSession } from "../find.js";
import { nameWords } from "../frame.js";
import { peerName, threadName, words } from "../schemas.js";
import { tool } from "../tool.js";

/** Closes a thread. */
export const close = tool({
  name: "close",
  title: "Close a thread",
  description: `Closing cannot be undone: a session that is not agreed ends for both sides.
Closes a thread: nothing more is sent or taken on it. A session on it ends; the reason is told to the peer.`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    thread: threadName.describe("The thread."),
    peer: peerName.optional().describe("Petname or bond id; not needed for a session's thread."),
    reason: z.string().max(1_024).optional().describe("Words for the peer."),
  }),
  fields: { thread: words, peer: z.string() },
  async run({ host }, { thread, peer, reason }) {
    const { id, petname, name } = await threadOf(host, thread, peer);
    await host.closeThread(id, name, reason);
    return {
      thread: nameWords(petname, name),
      peer: petname,
      suggested_next: "The thread is closed: tell your human.",
    };
  },
});

/** The bond and the thread that are meant; with a peer, it may be a thread without a session. */
async function threadOf(host: BaseHost, thread: string, peer: string | undefined) {
  try {
    const { view, bond } = await findSession(host, thread, peer);
    return { id: bond.id, petname: bond.petname, name: view.thread };
  } catch (error) {
    const isWithoutSession = error instanceof AgentPairError && error.code === "session_not_found";
    if (!isWithoutSession) throw error;
    if (peer === undefined) {
      throw new AgentPairError("invalid_argument", "caller", "there is no session on that thread: name the peer too");
    }
    const { id, petname } = await host.bond(peer);
    return { id, petname, name: thread };
  }
}
