/** What is done in less is not worth a word, in milliseconds. */
const QUIET_MS = 1_000;
const ERASE = "\r\u{1b}[2K";

/** One line at the bottom of the terminal that says what is under way. Nothing where standard error is no terminal. */
export class Progress {
  static #current: Progress | undefined;
  readonly #what: string | (() => string);
  readonly #since = Date.now();
  readonly #timer: ReturnType<typeof setInterval>;

  private constructor(what: string | (() => string)) {
    this.#what = what;
    this.#timer = setInterval(() => this.#show(), QUIET_MS);
    this.#timer.unref();
  }

  /** Shows the line while the work lasts, once it has lasted a second. */
  static async during<T>(what: string | (() => string), work: Promise<T>): Promise<T> {
    if (process.stderr.isTTY !== true || Progress.#current) return work;
    const progress = new Progress(what);
    Progress.#current = progress;
    try {
      return await work;
    } finally {
      clearInterval(progress.#timer);
      Progress.#current = undefined;
      process.stderr.write(ERASE);
    }
  }

  /** Writes something else, without leaving half a line of progress. */
  static interrupt(write: () => void): void {
    if (Progress.#current) process.stderr.write(ERASE);
    write();
  }

  #show(): void {
    const seconds = Math.round((Date.now() - this.#since) / 1_000);
    const what = typeof this.#what === "string" ? `${this.#what}… ${seconds} s` : this.#what();
    process.stderr.write(`${ERASE}${what.slice(0, (process.stderr.columns || 80) - 1)}`);
  }
}
