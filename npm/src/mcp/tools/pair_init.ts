import * as z from "zod";
import { given } from "../given.js";
import { instant } from "../schemas.js";
import { iso } from "../time.js";
import { tool } from "../tool.js";

/** Makes an invite. */
export const pairInit = tool({
  name: "pair_init",
  title: "Make an invite",
  description: `Whoever has the code can bond with your human: give it to nobody but your human, who passes it on by a way they trust.
Makes an invite at the relay and returns its code: spoken words, six digits, or a link. The other side uses it with pair_join. The pairing then completes by itself; pair_init_complete waits for that.
With digits the bond is held until both humans compared the safety number (safety_number).`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    scope: z
      .array(z.enum(["message", "negotiate"]))
      .min(1)
      .max(2)
      .default(["message", "negotiate"])
      .describe("What the bond is for."),
    mode: z
      .enum(["bonded_contact", "ephemeral_until_session_closes"])
      .default("bonded_contact")
      .describe("How long the bond lives: until revoked, or for one session."),
    form: z.enum(["words", "digits", "link"]).default("words").describe("How the code is handed over."),
    petname: z.string().max(64).optional().describe("Your human's name for the other side."),
  }),
  fields: {
    pairing: z.string(),
    code: z.string(),
    expires_at: instant,
    completion: z.literal("automatic"),
  },
  async run({ host, state, signal }, { scope, mode, form, petname }) {
    const invite = await host.invite(given({ scope, mode, form, petname, signal }));
    const { pairing, code, expiresAt } = invite;
    state.codes.set(code, pairing);
    state.pairing = pairing;
    return {
      pairing,
      code,
      expires_at: iso(expiresAt),
      completion: "automatic" as const,
      suggested_next:
        "Show the code to your human: they pass it on to the other human, by voice or another way they trust. Then call pair_init_complete.",
    };
  },
});
