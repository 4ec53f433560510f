import { AgentPairError, asAgentPairError } from "../errors.js";

/** Errors after which nothing can go on: neither the core nor the store would be what they were. */
const ENDS: ReadonlySet<string> = new Set(["panicked", "store_gone", "store_too_new"]);

/** Does one thing after the other, until it is closed, or an error comes after which nothing can go on. */
export class Queue {
  readonly #onProblem: (error: AgentPairError) => void;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #end: AgentPairError | undefined;
  #wasEndTold = false;

  /** @param onProblem told of errors that no caller waits for. */
  constructor(onProblem: (error: AgentPairError) => void) {
    this.#onProblem = onProblem;
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The error after which nothing can go on, if there was one: the protocol core has panicked, or the store is gone. */
  get end(): AgentPairError | undefined {
    return this.#end;
  }

  /** Does `work` when everything before it is done. */
  add<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(hostClosed());
    if (this.#end) return Promise.reject(this.#end);
    const result = this.#last.then(work).catch((error) => {
      throw this.coded(error);
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Takes nothing more. Resolves when everything is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
  }

  /** Gives an error its code, and notices if it was the last one. */
  coded(error: unknown): AgentPairError {
    const coded = asAgentPairError(error);
    if (ENDS.has(coded.code)) this.#end ??= coded;
    return coded;
  }

  /** Tells of an error that no caller waits for. */
  complain(error: unknown): void {
    const coded = this.coded(error);
    // The last one is told once, by whatever it was noticed.
    const isLast = coded.code === this.#end?.code;
    if (this.#isClosed || (isLast && this.#wasEndTold)) return;
    this.#wasEndTold = isLast;
    // By itself: what it throws is not a failure of what is done here.
    queueMicrotask(() => this.#onProblem(coded));
  }
}

/** The error of whatever is asked of a host that was closed. */
export function hostClosed(): AgentPairError {
  return new AgentPairError("host_closed", "caller", "this host is closed");
}
