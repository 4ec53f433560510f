/** The longest that a timer of the platform can wait, in milliseconds. */
export const LONGEST_MS = 2 ** 31 - 1;

/** One timer, set to an instant. */
export class Alarm {
  #fire: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(fire: () => void) {
    this.#fire = fire;
  }

  /** Fires at `at`, unix milliseconds, instead of when it was set to before. */
  set(at: number): void {
    clearTimeout(this.#timer);
    // Not at once: an engine that asks for the past must not keep the process from everything else.
    const delay = Math.min(Math.max(at - Date.now(), 1), LONGEST_MS);
    this.#timer = setTimeout(() => {
      if (Date.now() < at) this.set(at);
      else this.#fire();
    }, delay);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
