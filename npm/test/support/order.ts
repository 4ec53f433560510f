import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Deliverable } from "agentpair";

/** What the demo's agents agree on, too. */
export const DELIVERABLE: Deliverable = {
  kind: "json",
  media_type: "application/json",
  name: "order-fields.json",
  text: readFileSync(join(import.meta.dirname, "../../../examples/order-api/counter.json"), "utf8"),
};

/** The terms on which. */
export function terms() {
  return {
    goal: "Agree on the fields of an order",
    acceptance: [],
    budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: [], human_required: ["ratify"] },
  };
}
