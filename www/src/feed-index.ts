// The feed, sorted by what it is about while it arrives: whoever draws one bond does not walk through what happened on
// the others.
import type { FeedItem } from "agentpair";
import { isNews } from "./unseen.ts";

type Event = FeedItem["event"];
type Of<Name extends Event["event"]> = Extract<Event, { event: Name }>;

const NOTHING: readonly FeedItem[] = [];

/** What happened, in order. Each entry is looked at once, when it is added. */
export class FeedIndex {
  #last = 0;
  readonly #news: FeedItem[] = [];
  readonly #bonds = new Map<string, FeedItem[]>();
  readonly #threads = new Map<string, Map<string, FeedItem[]>>();
  readonly #changes = new Map<string, Of<"bond_changed">>();
  readonly #successors = new Map<string, string>();
  readonly #asked = new Map<string, number>();

  /** Adds what is new; what is here already is left out. */
  add(items: readonly FeedItem[]): void {
    for (const item of items) {
      const { n, event } = item;
      if (n <= this.#last) continue;
      this.#last = n;
      if (isNews(item)) this.#news.push(item);
      if (event.event === "pending") this.#asked.set(event.pending, n);
      if (event.event === "pairing_ended" && event.replacedBy) this.#successors.set(event.pairing, event.replacedBy);
      if (event.event === "bond_changed") this.#changes.set(event.bond, event);
      if (!("bond" in event)) continue;
      push(this.#bonds, event.bond, item);
      if ("thread" in event)
        push(
          madeIn(this.#threads, event.bond, () => new Map()),
          event.thread,
          item,
        );
    }
  }

  /** Number of the last entry; 0 before the first one. */
  get last(): number {
    return this.#last;
  }

  /** Entries that are something to look at. */
  get news(): readonly FeedItem[] {
    return this.#news;
  }

  /** Entries about a bond. The list stays the same, and grows. */
  ofBond(bond: string): readonly FeedItem[] {
    return this.#bonds.get(bond) ?? NOTHING;
  }

  /** Entries about a thread of a bond. */
  ofThread(bond: string, thread: string): readonly FeedItem[] {
    return this.#threads.get(bond)?.get(thread) ?? NOTHING;
  }

  /** How the standing of a bond changed last. */
  changeOf(bond: string): Of<"bond_changed"> | undefined {
    return this.#changes.get(bond);
  }

  /** The invite that took the place of a pairing. */
  successorOf(pairing: string): string | undefined {
    return this.#successors.get(pairing);
  }

  /** Whether an invite took the place of another one. */
  isSuccessor(pairing: string): boolean {
    return [...this.#successors.values()].includes(pairing);
  }

  /** The entry by which the human was asked something. */
  askedAt(pending: string): number | undefined {
    return this.#asked.get(pending);
  }
}

function push(lists: Map<string, FeedItem[]>, key: string, item: FeedItem): void {
  madeIn(lists, key, () => []).push(item);
}

/** What a map has for a key, made if there is nothing yet. */
function madeIn<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
