import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedItem, OutboxView } from "agentpair";
import { conversations, type Note, settled } from "../src/conversation.ts";
import { FeedIndex } from "../src/feed-index.ts";
import { unseen, upTo } from "../src/unseen.ts";

type Event = FeedItem["event"];
const item = (n: number, event: Event): FeedItem => ({ n, at: n * 10, event });
const said = (n: number, body: string, thread = "t", bond = "b") =>
  item(n, { event: "message", bond, thread, id: `id${n}`, seq: n, kind: undefined, body, gap: false });
const delivery = (n: number, mid: string, state: string, thread = "t") =>
  item(n, { event: "delivery", bond: "b", mid, thread, state, code: undefined });
const note = (id: string, at: number, more: Partial<Note> = {}): Note => ({ id, bond: "b", thread: "t", at, ...more });
const queued = (mid: string, createdAt: number, more: Partial<OutboxView> = {}): OutboxView => ({
  bond: "b",
  mid,
  kind: "core.msg",
  thread: "t",
  state: "queued",
  createdAt,
  expiresAt: 1e9,
  ...more,
});
const indexed = (...feed: FeedItem[]) => {
  const index = new FeedIndex();
  index.add(feed);
  return index;
};
const all = (feed: FeedItem[], notes: Note[] = [], outbox: OutboxView[] = [], negotiations: string[] = []) =>
  conversations({
    bond: "b",
    feed: indexed(...feed).ofBond("b"),
    notes,
    outbox,
    negotiations: new Set(negotiations),
  });
const none = () => [];

test("both sides' words stand in the order in which they were said, with how far the own ones got", () => {
  const [thread] = all(
    [said(1, "Hello"), delivery(3, "m1", "relayed"), said(4, "And?"), delivery(5, "m1", "delivered")],
    [note("x", 20, { body: "Hi", mid: "m1" }), note("y", 60, { body: "Soon", mid: "m2" })],
    [queued("m2", 60)],
  );
  assert.deepEqual(
    thread?.entries.map((e) => (e.what === "message" ? [e.by, e.body, e.by === "me" ? e.state : ""] : [])),
    [
      ["peer", "Hello", ""],
      ["me", "Hi", "delivered"],
      ["peer", "And?", ""],
      ["me", "Soon", "queued"],
    ],
  );
  assert.equal(thread?.isClosed, false);
});

test("what nobody knows to be sent is not shown", () => {
  assert.deepEqual(all([], [note("x", 20, { body: "Not sent" })]), []);
});

test("what was sent elsewhere is there without its text; what closed a thread is no message", () => {
  const [thread] = all([delivery(2, "m9", "delivered"), delivery(5, "m10", "delivered")], [note("c", 40)]);
  assert.deepEqual(
    thread?.entries.map((e) => [e.what, e.by === "me" && e.what === "message" ? (e.body ?? "?") : ""]),
    [
      ["message", "?"],
      ["closed", ""],
    ],
  );
  assert.equal(thread?.isClosed, true);
  assert.deepEqual(all([], [], [queued("m1", 1, { kind: "core.close" })]), []);
});

test("negotiations, the protocol's own threads and other bonds are somewhere else", () => {
  const feed = [said(1, "x", "n"), delivery(2, "h", "delivered", "bond"), said(3, "y", "t", "other"), said(4, "z")];
  assert.deepEqual(
    all(feed, [], [], ["n"]).map(({ thread, entries }) => [thread, entries.length]),
    [["t", 1]],
  );
});

test("the conversation in which something was said last stands first", () => {
  const feed = [said(1, "a", "old"), said(2, "b", "new"), said(3, "c", "old")];
  assert.deepEqual(
    all(feed).map(({ thread }) => thread),
    ["old", "new"],
  );
});

test("a text whose sending was cut short is either sent or not, and never both", () => {
  const open = [note("x", 20, { body: "one" }), note("y", 30, { body: "two", thread: "u" })];
  const stored = settled(open, open, none, [queued("m1", 21)]);
  assert.deepEqual(
    [stored.sent.map(({ id, mid }) => [id, mid]), stored.unsent.map(({ id }) => id)],
    [[["x", "m1"]], ["y"]],
  );
  // Delivered meanwhile: only the feed knows.
  assert.equal(settled(open, open, () => [delivery(3, "m1", "delivered")], []).sent[0]?.mid, "m1");
});

test("one message is not taken for two texts, nor an older one or another's for one cut short", () => {
  const twice = [note("x", 20, { body: "same" }), note("y", 21, { body: "same" })];
  assert.deepEqual(
    settled(twice, twice, none, [queued("m1", 22)]).unsent.map(({ id }) => id),
    ["y"],
  );
  const [open] = [note("z", 50, { body: "new" })];
  const before = note("w", 50, { body: "known", mid: "m2" });
  const outbox = [queued("m1", 40), queued("m2", 51), queued("m3", 52, { kind: "core.close" })];
  assert.deepEqual(
    settled([open], [open, before], none, outbox).unsent.map(({ id }) => id),
    ["z"],
  );
});

test("the other sides are told of what has nothing unseen before it", () => {
  const { news, last } = indexed(
    said(1, "a"),
    delivery(2, "m", "relayed"),
    said(3, "b", "t", "other"),
    said(4, "c"),
    delivery(5, "m", "x"),
  );
  assert.equal(upTo(news, last, new Set([4]), 0), 0);
  assert.equal(upTo(news, last, new Set([1, 4]), 0), 2);
  assert.equal(upTo(news, last, new Set([1, 3, 4]), 0), 5);
  assert.equal(upTo(news, last, new Set(), 5), 5);
  assert.deepEqual(
    unseen(news, new Set([4]), 1).map(({ n }) => n),
    [3],
  );
});
