// The feed is walked through once, while it arrives: 100,000 entries of one bond are nothing to what is drawn of another.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedItem } from "agentpair";
import { conversations } from "../src/conversation.ts";
import { FeedIndex } from "../src/feed-index.ts";
import { isNews, unseen } from "../src/unseen.ts";

const MANY = 100_000;

type Event = FeedItem["event"];
const message = (bond: string, thread: string): Event => ({
  event: "message",
  bond,
  thread,
  id: "id",
  seq: 1,
  kind: undefined,
  body: "text",
  gap: false,
});

/** Entries that count how often anybody looks at what happened. */
class Watched {
  visits = 0;
  #n = 0;

  make(event: Event): FeedItem {
    this.#n += 1;
    const visit = () => {
      this.visits += 1;
      return event;
    };
    return {
      n: this.#n,
      at: this.#n,
      get event() {
        return visit();
      },
    };
  }

  /** What some work comes to, and how many visits it took. */
  during<T>(work: () => T): [T, number] {
    const before = this.visits;
    const result = work();
    return [result, this.visits - before];
  }
}

/** An index with much about one bond, all of it read, and a word on another. */
function filled() {
  const [watched, index] = [new Watched(), new FeedIndex()];
  index.add(Array.from({ length: MANY }, (_, n) => watched.make(message("busy", `t${n % 100}`))));
  index.add([watched.make(message("quiet", "t"))]);
  return { watched, index };
}

test("an event more is looked at by itself", () => {
  const { watched, index } = filled();
  const more = watched.make({ event: "pending", pending: "p" });
  const [, visits] = watched.during(() => index.add([more]));
  assert.ok(visits > 0 && visits < 5, `${visits} visits`);
  assert.deepEqual([index.last, index.askedAt("p"), index.askedAt("q")], [MANY + 2, MANY + 2, undefined]);
});

test("what is drawn of a bond visits what is about that bond, and nothing else", () => {
  const { watched, index } = filled();
  const change = { event: "bond_changed", bond: "quiet", status: "revoked_by_peer", reason: "done" } as const;
  index.add([watched.make({ event: "thread_closed", bond: "quiet", thread: "t", reason: undefined })]);
  index.add([watched.make(change)]);
  const [drawn, visits] = watched.during(() => ({
    said: conversations({
      bond: "quiet",
      feed: index.ofBond("quiet"),
      outbox: [],
      notes: [],
      negotiations: new Set(),
    }),
    isClosed: index.ofThread("quiet", "t").some(({ event }) => event.event === "thread_closed"),
    news: index.ofThread("quiet", "t").filter(isNews),
    unseen: unseen(index.news, new Set(), MANY),
    reason: index.changeOf("quiet")?.reason,
  }));
  assert.deepEqual(
    drawn.said.map(({ entries, isClosed }) => [entries.length, isClosed]),
    [[2, true]],
  );
  assert.deepEqual([drawn.isClosed, drawn.news.length, drawn.unseen.length, drawn.reason], [true, 2, 2, "done"]);
  assert.ok(visits < 30, `${visits} visits`);
});

test("everything is found by what it is about, once, however often it is added", () => {
  const [watched, index] = [new Watched(), new FeedIndex()];
  const items = [
    message("a", "t"),
    message("b", "t"),
    { event: "bond_verified", bond: "a" } as const,
    { event: "pairing_ended", pairing: "one", outcome: "claimed_by_stranger", replacedBy: "two" } as const,
    message("a", "__proto__"),
  ].map((event) => watched.make(event));
  for (const part of [items.slice(0, 2), items, items]) index.add(part);
  const numbers = (list: readonly FeedItem[]) => list.map(({ n }) => n);
  assert.deepEqual(numbers(index.ofBond("a")), [1, 3, 5]);
  assert.deepEqual(numbers(index.ofThread("a", "t")), [1]);
  assert.deepEqual(numbers(index.ofThread("a", "__proto__")), [5]);
  assert.deepEqual(numbers(index.ofBond("nobody")), []);
  assert.deepEqual(numbers(index.news), [1, 2, 5]);
  assert.deepEqual(
    [index.successorOf("one"), index.isSuccessor("two"), index.isSuccessor("one")],
    ["two", true, false],
  );
});
