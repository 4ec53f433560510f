import { AgentPairError } from "../errors.js";

/** A member that the engine's documentation promises. */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new AgentPairError("invariant_broken", "bug", "the engine's reply is incomplete");
  return value;
}
