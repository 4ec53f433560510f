import type { Store } from "../store/store.js";

/** How long a lease lasts without being prolonged, in milliseconds. */
const LEASE_MS = 15_000;
/** How often it is prolonged, in milliseconds. */
const PROLONG_MS = 5_000;
/** How often the lease of another process is looked at, in milliseconds. */
const LOOK_MS = 1_000;

/** Sees to it that one process of a store, and only one, uses the network. */
export class LeaseKeeper {
  #store: Store;
  #holds = false;
  #lookAt = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Whether this process held the lease when it last looked. */
  get holds(): boolean {
    return this.#holds;
  }

  /** Another process has it: found while doing something else. */
  lost(): void {
    this.#holds = false;
  }

  /** Prolongs the lease, or takes it if nobody has it. Does nothing most of the time. */
  async tend(): Promise<void> {
    const now = Date.now();
    const rest = this.#lookAt - now;
    // More than there ever is to wait: the clock was set back.
    if (rest > 0 && rest <= PROLONG_MS) return;
    const store = this.#store;
    this.#holds = await store.transact(undefined, (transaction) => {
      const { lease } = transaction;
      const isFree =
        !lease ||
        lease.owner === store.self ||
        lease.until < now ||
        // Longer than any lease lasts: the clock was set back.
        lease.until > now + 2 * LEASE_MS ||
        store.isGone(lease.owner);
      if (isFree) transaction.setLease({ owner: store.self, until: now + LEASE_MS });
      return isFree;
    });
    this.#lookAt = now + (this.#holds ? PROLONG_MS : LOOK_MS);
  }

  /** Gives the lease up. */
  async release(): Promise<void> {
    if (!this.#holds) return;
    this.#holds = false;
    const store = this.#store;
    await store.transact(undefined, (transaction) => {
      if (transaction.lease?.owner === store.self) transaction.setLease(undefined);
    });
  }
}
