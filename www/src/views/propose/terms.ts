import type { Open } from "agentpair";

/** What a human fills in to propose a negotiation. */
export interface Wanted {
  goal: string;
  /** What must be true; empty ones do not count. */
  criteria: readonly string[];
  /** As a field of date and time has it, in local time: `2027-01-31T12:00`. */
  deadline: string;
  turns: number;
}

/** Turns and days that a negotiation has unless its human says otherwise. */
export const TURNS = 20;
const DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/** The terms: criteria that people judge, and the mandate that the command line and the MCP server send too. */
export function termsOf({ goal, criteria, deadline, turns }: Wanted): Open {
  const wanted = criteria.map((text) => text.trim()).filter(Boolean);
  return {
    goal: goal.trim(),
    acceptance: wanted.map((desc, i) => ({ id: String(i + 1), test: "judgment", desc })),
    budget: { max_turns: turns, deadline: new Date(deadline).toISOString() },
    mandate: { agent_may: ["propose", "counter", "accept"], human_required: ["ratify"] },
  };
}

/** What is wrong with what was filled in, by field. */
export function faults({ goal, deadline, turns }: Wanted, now: number): { goal?: true; deadline?: true; turns?: true } {
  const at = new Date(deadline).getTime();
  return {
    ...(goal.trim() === "" && { goal: true }),
    ...(!(at > now) && { deadline: true }),
    ...(!(Number.isInteger(turns) && turns >= 1 && turns <= 1_000) && { turns: true }),
  };
}

/** In a week, at a full hour, as a field of date and time wants it. */
export function usualDeadline(now: number): string {
  const at = new Date(now + DAYS * DAY_MS);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:00`;
}
