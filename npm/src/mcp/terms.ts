import type * as z from "zod";
import type { BondView, SessionView } from "../node.js";
import { NAME_CAP, type Words, words } from "./frame.js";
import { Room } from "./room.js";
import type { terms } from "./schemas.js";
import { utc } from "./time.js";

/** Terms as results show them. */
export type TermsResult = z.input<typeof terms>;

/** Bytes that terms may take, as JSON. */
const TERMS_BYTES = 6_000;
/** Bytes of a goal and of a criterion that are shown. */
const GOAL_CAP = 1_500;
const CRITERION_CAP = 800;

/** Whose words the terms are: a peer's name, or nobody's if they are our own. */
export function authorOfTerms({ openedBy }: SessionView, { petname }: BondView): string | undefined {
  return openedBy === "peer" ? petname : undefined;
}

/** The terms of a session, as far as there is room. */
export function termsResult(view: SessionView, bond: BondView): TermsResult {
  const { goal, acceptance, budget, mandate } = view.terms;
  const by = authorOfTerms(view, bond);
  const room = new Room(TERMS_BYTES);
  let isCut = false;
  const short = (text: string, cap: number): Words => {
    const shown = words(by, text, cap);
    isCut ||= typeof shown === "string" ? shown.length < text.length : shown.truncated === true;
    return shown;
  };
  const fitting = <T, R>(list: readonly T[], show: (each: T) => R): R[] => {
    const shown: R[] = [];
    for (const each of list) {
      const one = show(each);
      if (!room.take(one)) {
        isCut = true;
        break;
      }
      shown.push(one);
    }
    return shown;
  };
  const name = (text: string) => short(text, NAME_CAP);
  const shownGoal = short(goal, GOAL_CAP);
  room.take(shownGoal);
  const result: TermsResult = {
    goal: shownGoal,
    acceptance: fitting(acceptance, ({ id, desc, test }) => ({ id: name(id), desc: short(desc, CRITERION_CAP), test })),
    budget: { max_turns: budget.max_turns, deadline: utc(budget.deadline) },
    mandate: {
      agent_may: fitting(mandate.agent_may, name),
      human_required: fitting(mandate.human_required, name),
      escalate_on: mandate.escalate_on && fitting(mandate.escalate_on, name),
    },
  };
  return isCut ? { ...result, cut: true } : result;
}

/** The whole terms as JSON text, to be read page by page. */
export function termsText({ terms: { goal, acceptance, budget, mandate } }: SessionView): string {
  return JSON.stringify({ goal, acceptance, budget, mandate }, undefined, 1);
}
