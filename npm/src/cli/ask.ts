import { AgentPairError } from "../errors.js";
import type { Call } from "./call.js";
import { interrupt } from "./interruption.js";

// Each of these is refused where there is no terminal, and ended by Ctrl-C or by the signal that it is given.

/** Asks for a line. It is seen while it is typed. */
export function askText(call: Call, message: string, signal?: AbortSignal): Promise<string> {
  return ask(call, message, signal, ({ input }, context) => input({ message, required: true }, context));
}

/** Asks for a line that is not shown. */
export function askSecret(call: Call, message: string, signal?: AbortSignal): Promise<string> {
  return ask(call, message, signal, ({ password }, context) => password({ message, mask: true }, context));
}

/** A question to be answered by yes or no; no unless the human says otherwise. */
export function askYes(call: Call, message: string, signal?: AbortSignal): Promise<boolean> {
  return ask(call, message, signal, ({ confirm }, context) => confirm({ message, default: false }, context));
}

type Prompts = typeof import("./prompts.js");
type Context = { output: NodeJS.WritableStream; signal: AbortSignal };

async function ask<T>(
  call: Call,
  message: string,
  signal: AbortSignal | undefined,
  prompt: (prompts: Prompts, context: Context) => Promise<T>,
): Promise<T> {
  if (!call.isTerminal) {
    const text = `this needs a terminal, to ask: ${message}`;
    throw new AgentPairError("invalid_argument", "caller", text);
  }
  try {
    const either = signal ? AbortSignal.any([call.signal, signal]) : call.signal;
    return await prompt(await import("./prompts.js"), { output: process.stderr, signal: either });
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof Error && error.name === "ExitPromptError") interrupt();
    throw error;
  }
}
