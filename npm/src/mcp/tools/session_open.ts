import * as z from "zod";
import { findSession } from "../find.js";
import { given } from "../given.js";
import { peerName, session } from "../schemas.js";
import { sessionResult } from "../session.js";
import { tool } from "../tool.js";

/** Turns and time that a session has unless its opener says otherwise. */
const TURNS = 20;
const DAY_MS = 24 * 3_600_000;

const list = (what: string) => z.array(z.string().min(1).max(256)).max(64).describe(what);

/** Opens a negotiation. */
export const sessionOpen = tool({
  name: "session_open",
  title: "Open a negotiation",
  description: `Open a negotiation only on a goal that your human gave you; the terms cannot be changed afterwards.
Proposes terms to a peer: a goal, when a deliverable is good enough, how many turns both sides have together, and what the agents may do. The peer's human decides whether it begins. Then both agents take turns (session_msg), both sign one deliverable (session_sign), both humans ratify, and both hold a receipt.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    to: peerName.describe("Petname or bond id."),
    goal: z.string().min(1).max(8_192).describe("What is to be agreed, in a sentence."),
    acceptance: z
      .array(
        z.strictObject({
          id: z.string().min(1).max(128),
          desc: z.string().min(1).max(4_096),
          test: z.enum(["judgment", "executable"]).default("judgment"),
        }),
      )
      .max(64)
      .default([])
      .describe("When a deliverable is good enough."),
    budget: z
      .strictObject({
        max_turns: z.int().min(1).max(1_000).default(TURNS),
        deadline: z.string().max(64).optional().describe("Such as 2027-01-31T12:00:00Z; in 24 hours if absent."),
      })
      .default({ max_turns: TURNS })
      .describe("Turns of both sides together, and the end."),
    mandate: z
      .strictObject({
        agent_may: list("What the agents may do by themselves.").default(["propose", "counter", "accept"]),
        human_required: list("What only humans may do.").default(["ratify"]),
        escalate_on: list("When the agents ask their humans.").optional(),
      })
      .default({ agent_may: ["propose", "counter", "accept"], human_required: ["ratify"] })
      .describe("What the agents may do."),
  }),
  fields: { session },
  async run({ host }, { to, goal, acceptance, budget, mandate }) {
    const bond = await host.bond(to);
    const { max_turns, deadline = new Date(Date.now() + DAY_MS).toISOString() } = budget;
    const { agent_may, human_required, escalate_on } = mandate;
    const thread = await host.openSession(bond.id, {
      goal,
      acceptance,
      budget: { max_turns, deadline },
      mandate: { agent_may, human_required, ...given({ escalate_on }) },
    });
    const { view } = await findSession(host, thread, bond.id);
    const shown = sessionResult(view, bond);
    return { session: shown, suggested_next: shown.suggested_next };
  },
});
