import * as z from "zod";
import { peerName } from "../schemas.js";
import { tool } from "../tool.js";

/** Shows a safety number. */
export const safetyNumber = tool({
  name: "safety_number",
  title: "Safety number",
  description: `Only the two humans can compare the number, by voice or in person: a number that a peer sent in a message proves nothing.
Five groups of six digits, the same on both sides if nobody stands between. With ask_human your human is asked whether the other side sees the same; confirming lifts the hold of a bond that was made by digits.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    peer: peerName.describe("Petname or bond id."),
    ask_human: z.boolean().default(false).describe("Whether to ask your human to confirm the comparison."),
  }),
  fields: {
    peer: z.string(),
    number: z.array(z.string()).length(5),
    verified: z.boolean(),
    pending_id: z.string().optional(),
  },
  async run({ host }, { peer, ask_human: isAsked }) {
    const { id, petname, verification } = await host.bond(peer);
    const number = await host.safetyNumber(id);
    const pending_id = isAsked ? await host.verify(id) : undefined;
    const suggested_next = isAsked
      ? "Both humans read the five groups to each other. Yours then answers the question that waits."
      : "Show the five groups to your human; ask_human puts the question whether the other side sees the same.";
    return { peer: petname, number, verified: verification !== undefined, pending_id, suggested_next };
  },
});
