import type { BaseHost, FeedItem } from "../node.js";

/** Entries that are read at once: an entry may hold a message of 10 MiB. */
const STEP = 16;

/** The entries of the feed after `since`, in order, as far as they go now. */
export async function* entries(host: BaseHost, since: number): AsyncGenerator<FeedItem, void, void> {
  for (let last = since; ; ) {
    const items = await host.feed({ since: last, limit: STEP });
    if (items.length === 0) return;
    for (const item of items) {
      yield item;
      last = item.n;
    }
  }
}

/** The last entries of the feed, the oldest first. */
export async function* tail(host: BaseHost, count: number): AsyncGenerator<FeedItem, void, void> {
  const { feed } = await host.me();
  yield* entries(host, Math.max(0, feed - count));
}
