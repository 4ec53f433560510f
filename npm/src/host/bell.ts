/** Wakes whoever waits for a change. */
export class Bell {
  #next: Promise<void>;
  #resolve: () => void = () => {};

  constructor() {
    this.#next = this.#arm();
  }

  /** Resolves at the next ring. Take it before looking, so that no ring is lost between the two. */
  get next(): Promise<void> {
    return this.#next;
  }

  ring(): void {
    const resolve = this.#resolve;
    this.#next = this.#arm();
    resolve();
  }

  #arm(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
