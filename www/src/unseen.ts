import type { FeedItem } from "agentpair";

/** Whether an entry of the feed is a word of the other side's, or a step of a negotiation: something to look at. */
export function isNews({ event }: FeedItem): boolean {
  return event.event === "message" || event.event === "thread_closed" || event.event === "session";
}

/** Entries that the human has not looked at, out of those that are something to look at. */
export function unseen(news: readonly FeedItem[], seen: ReadonlySet<number>, read: number): FeedItem[] {
  // From the end: what was told to be read long ago is not visited.
  const first = news.findLastIndex(({ n }) => n <= read) + 1;
  return news.slice(first).filter(({ n }) => !seen.has(n));
}

/** The entry up to which everything was looked at: no word of another bond's is said to be seen that was not. */
export function upTo(news: readonly FeedItem[], last: number, seen: ReadonlySet<number>, read: number): number {
  const [first] = unseen(news, seen, read);
  return first ? first.n - 1 : Math.max(last, read);
}
