import type { FeedItem } from "agentpair";

/** Whether an entry of the feed is a word of the other side's, or a step of a negotiation: something to look at. */
export function isNews({ event }: FeedItem): boolean {
  return event.event === "message" || event.event === "thread_closed" || event.event === "session";
}

/** Entries that the human has not looked at. */
export function unseen(feed: readonly FeedItem[], seen: ReadonlySet<number>, read: number): FeedItem[] {
  return feed.filter((item) => item.n > read && isNews(item) && !seen.has(item.n));
}

/** The entry up to which everything was looked at: no word of another bond's is said to be seen that was not. */
export function upTo(feed: readonly FeedItem[], seen: ReadonlySet<number>, read: number): number {
  const [first] = unseen(feed, seen, read);
  return first ? first.n - 1 : (feed.at(-1)?.n ?? read);
}
