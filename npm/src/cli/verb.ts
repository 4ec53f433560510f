import type { Command } from "commander";
import { Call } from "./call.js";

/** One verb of the command line: the default export of a file in ./verbs/, and a row of ./verbs.ts. */
export interface Verb {
  /** One line in `agentpair --help`: lowercase, no full stop. */
  readonly summary: string;
  /**
   * Adds arguments, options, sub-commands and examples to the verb's own command, and sets what it does with
   * {@link act}. Nothing else: this also runs for help and completion.
   */
  register(command: Command): void;
}

/** What a verb does: resolves with an exit code, or nothing for 0; whatever it throws is told in words. */
export type Act<A extends unknown[]> = (call: Call, ...all: A) => Promise<number | undefined> | Promise<void>;

/**
 * Sets what a command does. `work` gets the {@link Call}, the arguments in order, and last the command's own options.
 * The call's host, if there was one, is closed afterwards.
 */
export function act<A extends unknown[]>(command: Command, work: Act<A>): void {
  command.action(async (...all: unknown[]) => {
    // The last one is the command itself.
    const given = all.slice(0, -1) as A;
    const call = new Call(command.optsWithGlobals());
    let code: number | undefined;
    try {
      code = (await work(call, ...given)) ?? undefined;
    } finally {
      await call.end();
    }
    if (code !== undefined) process.exitCode = code;
  });
}
