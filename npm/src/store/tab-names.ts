import { encodeHex } from "../bytes.js";

/** In front of the names of tabs that hold their lock. */
const LOCKED = "agentpair/";

/**
 * Tells whether other tabs are gone: each one holds a Web Lock of its own name for as long as it lives. Without Web
 * Locks nothing is known.
 */
export class TabNames {
  #self: string;
  readonly #locks: LockManager | undefined;
  readonly #gone = new Set<string>();
  readonly #watched = new Set<string>();
  readonly #end = new AbortController();

  private constructor(store: string, locks: LockManager | undefined) {
    const id = encodeHex(crypto.getRandomValues(new Uint8Array(16)));
    this.#self = `${locks ? LOCKED : "tab/"}${store}/${id}`;
    this.#locks = locks;
  }

  get self(): string {
    return this.#self;
  }

  /** Takes a name. It is held when this resolves: whoever sees it can rely on that. */
  static async take(store: string, locks: LockManager | undefined = globalThis.navigator?.locks): Promise<TabNames> {
    const names = new TabNames(store, locks);
    await new Promise<void>((resolve) => {
      if (!locks) return resolve();
      const held = new Promise<void>((release) => names.#end.signal.addEventListener("abort", () => release()));
      const taken = locks.request(names.self, () => {
        resolve();
        return held;
      });
      taken.catch(() => {
        // Refused, as some browsers do in some modes. Others must not take this tab for gone.
        names.#self = names.#self.replace(LOCKED, "tab/");
        resolve();
      });
    });
    return names;
  }

  /**
   * Whether a tab is gone for good. Names are never used twice, and a name is held before it is seen anywhere: so
   * whoever gets its lock knows.
   */
  isGone(owner: string): boolean {
    if (this.#gone.has(owner)) return true;
    this.#watch(owner);
    return false;
  }

  /** Finds out now, without waiting for the tab's end. */
  async look(owner: string): Promise<void> {
    if (!this.#locks || owner === this.self || !owner.startsWith(LOCKED)) return;
    const options = { mode: "shared", ifAvailable: true } as const;
    const note = (lock: Lock | null) => {
      if (lock) this.#gone.add(owner);
    };
    await this.#locks.request(owner, options, note).catch(() => {});
  }

  release(): void {
    this.#end.abort();
  }

  #watch(owner: string): void {
    if (!this.#locks || owner === this.self || !owner.startsWith(LOCKED) || this.#watched.has(owner)) return;
    this.#watched.add(owner);
    const note = () => {
      this.#gone.add(owner);
    };
    this.#locks.request(owner, { mode: "shared", signal: this.#end.signal }, note).catch(() => {});
  }
}
