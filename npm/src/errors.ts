import { REFUSALS } from "./refusals.js";

/** Who is to blame for an error. */
export type Blame = "peer" | "policy" | "caller" | "relay" | "bug";

/**
 * Every error of this package. `code` is stable and for programs, `message` is one sentence for a human:
 * what happened, and what to do about it.
 */
export class AgentPairError extends Error {
  /** A stable name such as `bond_not_found`. */
  readonly code: string;
  /** Who is to blame. */
  readonly blame: Blame;

  constructor(code: string, blame: Blame, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AgentPairError";
    this.code = code;
    this.blame = blame;
  }
}

/** Gives whatever was thrown by the wasm module, or by the platform, the shape of this package's errors. */
export function asAgentPairError(thrown: unknown): AgentPairError {
  if (thrown instanceof AgentPairError) return thrown;
  if (thrown instanceof WebAssembly.RuntimeError) {
    const text = "the protocol core panicked: restart this process, and report the message above it";
    return new AgentPairError("panicked", "bug", text, { cause: thrown });
  }
  if (thrown instanceof Error) {
    const { code, blame } = thrown as { code?: unknown; blame?: unknown };
    if (typeof code === "string" && isBlame(blame)) {
      const message = thrown.message === code ? (REFUSALS[code] ?? code) : thrown.message.replace(`${code}: `, "");
      return new AgentPairError(code, blame, message, { cause: thrown });
    }
    return new AgentPairError("unexpected", "bug", thrown.message, { cause: thrown });
  }
  return new AgentPairError("unexpected", "bug", String(thrown), { cause: thrown });
}

function isBlame(value: unknown): value is Blame {
  return value === "peer" || value === "policy" || value === "caller" || value === "relay" || value === "bug";
}
