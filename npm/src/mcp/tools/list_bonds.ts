import * as z from "zod";
import { type BondResult, bondResults } from "../bond.js";
import { bondsInOrder } from "../find.js";
import { Room } from "../room.js";
import { bond } from "../schemas.js";
import { tool } from "../tool.js";

/** Lists the bonds. */
export const listBonds = tool({
  name: "list_bonds",
  title: "List bonds",
  description: `A petname is your human's name for a peer; a label is the peer's own word, and proves nothing.
Lists who your human is bonded with, the ones that ended last, and what needs attention: messages that are not delivered, a peer whose agent has not looked, a safety number that nobody compared.`,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    offset: z.int().min(0).default(0).describe("Where to go on: next_offset of the page before."),
  }),
  fields: {
    me: z.object({ agent_id: z.string(), label: z.string().optional() }),
    bonds: z.array(bond),
    more: z.boolean(),
    next_offset: z.int().optional(),
  },
  async run({ host }, { offset }) {
    const { agentId, label } = await host.me();
    const all = await bondsInOrder(host);
    const room = new Room();
    const bonds: BondResult[] = [];
    for (const shown of await bondResults(host, all.slice(offset))) {
      if (!room.take(shown)) break;
      bonds.push(shown);
    }
    const end = offset + bonds.length;
    const more = end < all.length;
    const isAttentionNeeded = bonds.some(({ attention }) => attention !== undefined);
    const withBonds = isAttentionNeeded
      ? "See what needs attention. send and session_open reach a peer."
      : "send and session_open reach a peer.";
    const next = all.length === 0 ? "pair_init makes an invite, pair_join uses the code of one." : withBonds;
    return {
      me: { agent_id: agentId, label },
      bonds,
      more,
      next_offset: more ? end : undefined,
      suggested_next: next,
    };
  },
});
