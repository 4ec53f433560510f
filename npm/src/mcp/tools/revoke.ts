import * as z from "zod";
import { bond, peerName } from "../schemas.js";
import { tool } from "../tool.js";

/** Ends a bond. */
export const revoke = tool({
  name: "revoke",
  title: "End a bond",
  description: `Ending a bond cannot be undone: do it when your human says so, or when its safety numbers differ.
Ends the bond with a peer, alone and at once: nothing more passes, its sessions end, its keys are erased. To talk again both sides have to pair anew.`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    peer: peerName.describe("Petname or bond id."),
    reason: z.string().max(1_024).optional().describe("Words for the peer."),
  }),
  fields: { peer: z.string(), status: bond.shape.status },
  async run({ host }, { peer, reason }) {
    const { id, petname } = await host.bond(peer);
    await host.revoke(id, reason);
    const { status } = await host.bond(id);
    return { peer: petname, status, suggested_next: "The bond is over: tell your human." };
  },
});
