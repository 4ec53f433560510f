import { asAgentPairError } from "../errors.js";
import type { LogName, Store } from "../store/store.js";
import { type AuditRecord, auditRecord, type FeedItem, feedItem } from "../wasm/agentpair.js";
import type { Loop } from "./loop.js";
import { hostClosed } from "./queue.js";
import type { PageOptions } from "./types.js";
import { waitUntil } from "./wait.js";

/** Entries that are read at once unless said otherwise. */
const PAGE = 256;

/** The logs of a host: read in pages, or followed. */
export class Logs {
  readonly #loop: Loop;
  readonly #store: Store;

  constructor(loop: Loop, store: Store) {
    this.#loop = loop;
    this.#store = store;
  }

  feed(options: PageOptions): Promise<FeedItem[]> {
    return this.#read("feed", feedItem, options);
  }

  audit(options: PageOptions): Promise<AuditRecord[]> {
    return this.#read("audit", auditRecord, options);
  }

  /** What happens from this call on, or from after entry `since`. */
  events({ since, signal }: { since?: number; signal?: AbortSignal }): AsyncGenerator<FeedItem, void, void> {
    const from = since ?? this.#loop.view((engine) => engine.host().feed);
    // Whoever never asks for an event has no use for the error either.
    Promise.resolve(from).catch(() => {});
    return this.#follow(from, signal);
  }

  async *#follow(from: number | Promise<number>, signal?: AbortSignal): AsyncGenerator<FeedItem, void, void> {
    let last = await from;
    const look = async () => {
      if (this.#loop.isClosed) return [];
      const items = await this.feed({ since: last, limit: PAGE });
      return items.length > 0 ? items : undefined;
    };
    while (!this.#loop.isClosed) {
      for (const item of await waitUntil(this.#loop, look, "an event", { signal })) {
        signal?.throwIfAborted();
        yield item;
        last = item.n;
      }
    }
  }

  async #read<T>(log: LogName, parse: (value: string) => T, { since = 0, limit = PAGE }: PageOptions): Promise<T[]> {
    try {
      const entries = await this.#store.entries(log, since, limit);
      return entries.map(({ value }) => parse(value));
    } catch (error) {
      throw this.#loop.isClosed ? hostClosed() : asAgentPairError(error);
    }
  }
}
