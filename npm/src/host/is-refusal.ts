import type { AgentPairError } from "../errors.js";

/** Whether the engine said no, and stayed as it was. */
export function isRefusal({ blame }: AgentPairError): boolean {
  return blame === "policy" || blame === "caller";
}
