import { AgentPairError } from "../errors.js";

/** The browser keeps nothing here, or does not let this page. */
export function unavailable(cause?: unknown): AgentPairError {
  const said = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
  const text = `this browser keeps no data for this page${said}: leave private browsing, allow the page to store data, or use another browser`;
  return new AgentPairError("storage_unavailable", "caller", text, { cause });
}

/** WebCrypto is missing, without which no key could be kept. */
export function insecure(): AgentPairError {
  const text = "keys cannot be protected on a page that came by plain http: open it by https, or from this machine";
  return new AgentPairError("storage_unavailable", "caller", text);
}

export function full(cause: unknown): AgentPairError {
  const text =
    "the space that this browser gives to the page is used up, and nothing was changed: free space on the device";
  return new AgentPairError("storage_full", "caller", text, { cause });
}

/** The database was deleted or closed under the feet of who used it. */
export function gone(name: string): AgentPairError {
  const text = `the store "${name}" was deleted or closed by the browser while it was in use: this page stops; load it again, and restore a backup if nothing is there`;
  return new AgentPairError("store_gone", "caller", text);
}

export function tooNew(name: string): AgentPairError {
  const text = `the store "${name}" was written by a newer AgentPair: load this page again to get that version`;
  return new AgentPairError("store_too_new", "caller", text);
}

export function inUse(name: string): AgentPairError {
  const text = `another tab holds the store "${name}": close all other tabs of this page, and try again`;
  return new AgentPairError("store_in_use", "policy", text);
}

/** Says that a store cannot be trusted, and what to do. */
export function corrupt(name: string, why: string, cause?: unknown): AgentPairError {
  const text = `the store "${name}" is damaged (${why}): nothing was changed; wipe it and restore a backup, or wipe it to start anew with new keys`;
  return new AgentPairError("store_corrupt", "bug", text, { cause });
}

/** The browser's errors in words. */
export function explain(error: unknown, name: string): unknown {
  if ((error as { code?: unknown } | null)?.code === "corrupt_record")
    return corrupt(name, "a record cannot be read", error);
  if (error instanceof AgentPairError || !(error instanceof DOMException)) return error;
  switch (error.name) {
    case "QuotaExceededError":
      return full(error);
    case "VersionError":
      return tooNew(name);
    case "NotFoundError":
      return corrupt(name, "a part of it is missing", error);
    case "ConstraintError":
      return corrupt(name, "an entry is there already", error);
    default: {
      const text = `cannot use the store "${name}": ${error.message}`;
      return new AgentPairError("store_failed", "caller", text, { cause: error });
    }
  }
}
