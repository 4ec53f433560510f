import { EXIT } from "./exit.js";

/** The reason of the abort: not an error to be told. */
export class Interrupted extends Error {
  /** The exit code that it leads to. */
  readonly exit: number;

  constructor(exit: number) {
    super("interrupted");
    this.exit = exit;
  }
}

/** Aborted by Ctrl-C, by SIGTERM, and when nobody reads standard output any more. */
export const interruption = new AbortController();

/** As Ctrl-C does: for prompts, to which it is a key and not a signal. */
export function interrupt(): never {
  interruption.abort(new Interrupted(EXIT.interrupted));
  throw interruption.signal.reason;
}

/** From now on a signal ends what is under way in order; the second one ends the process. */
export function heedSignals(): void {
  for (const [signal, exit] of [
    ["SIGINT", EXIT.interrupted],
    ["SIGTERM", EXIT.terminated],
  ] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (interruption.signal.aborted) process.exit(exit);
      interruption.abort(new Interrupted(exit));
    });
  }
}

/** From now on it is no error when nobody reads any more: `agentpair inbox --follow | head -1` has what it wanted. */
export function heedReaders(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    interruption.abort(new Interrupted(EXIT.done));
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
