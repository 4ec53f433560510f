import { AgentPairError } from "../errors.js";

/** Whoever could not have a worker. @throws AgentPairError `no_memory`, or what a task threw. */
export function noMemory(cause: unknown): never {
  if (cause instanceof AgentPairError) throw cause;
  const text =
    "a passphrase or PIN takes 64 MiB of memory and a worker to check, which this browser does not give now: close other tabs, and try again";
  throw new AgentPairError("no_memory", "caller", text, { cause });
}
