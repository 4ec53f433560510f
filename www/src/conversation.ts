// What was said on a bond, by thread: from the feed, which holds what the other side said, from the outbox, and from the
// notes of this browser, since the feed does not hold own texts.
import type { FeedItem, OutboxView } from "agentpair";

/** What was sent from this browser. */
export interface Note {
  id: string;
  bond: string;
  thread: string;
  /** Unix milliseconds. */
  at: number;
  /** The text; none where the thread was closed. */
  body?: string;
  /** The message, once it is certain that it was stored for sending. */
  mid?: string;
}

/** Where an own message is on its way. */
export type Delivery = "queued" | "relayed" | "delivered" | "expired" | "refused";

/** Something that was said. */
export type Entry =
  | { by: "peer"; what: "message"; n: number; at: number; body: string; kind: string | undefined; gap: boolean }
  | { by: "peer"; what: "closed"; n: number; at: number; reason: string | undefined }
  | { by: "me"; what: "message"; mid: string; at: number; body: string | undefined; state: Delivery }
  | { by: "me"; what: "closed"; at: number };

/** A conversation. */
export interface Thread {
  thread: string;
  entries: Entry[];
  isClosed: boolean;
}

/** Threads of the protocol itself. */
const RESERVED: readonly string[] = ["bond", "ack"];

interface Sources {
  bond: string;
  /** Entries of the feed about this bond. */
  feed: readonly FeedItem[];
  outbox: readonly OutboxView[];
  notes: readonly Note[];
  /** Threads of negotiations: they have their own view. */
  negotiations: ReadonlySet<string>;
}

/** All conversations on a bond, the one in which something happened last first. */
export function conversations({ bond, feed, outbox, notes, negotiations }: Sources): Thread[] {
  const threads = new Map<string, Thread>();
  const isOther = (thread: string) => negotiations.has(thread) || RESERVED.includes(thread);
  const put = (thread: string, entry: Entry) => {
    if (isOther(thread)) return;
    const found = threads.get(thread) ?? { thread, entries: [], isClosed: false };
    found.entries.push(entry);
    found.isClosed ||= entry.what === "closed";
    threads.set(thread, found);
  };
  const own = ownMessages(bond, feed, outbox);
  for (const note of notes) {
    if (note.bond !== bond) continue;
    if (note.body === undefined) put(note.thread, { by: "me", what: "closed", at: note.at });
    if (note.body === undefined || note.mid === undefined) continue;
    const state = own.get(note.mid)?.state ?? "queued";
    put(note.thread, { by: "me", what: "message", mid: note.mid, at: note.at, body: note.body, state });
  }
  const noted = new Set(notes.map(({ mid }) => mid));
  const closings = notes.filter((note) => note.bond === bond && note.body === undefined);
  for (const [mid, { thread, at, state, isText }] of own) {
    // The text was sent by another program, or noted by a browser that forgot it. What closed a thread has none.
    if (noted.has(mid) || !isText || closings.some((note) => note.thread === thread && note.at <= at)) continue;
    put(thread, { by: "me", what: "message", mid, at, body: undefined, state });
  }
  for (const { n, at, event } of feed) {
    if (event.event === "message") {
      const { body, kind, gap } = event;
      put(event.thread, { by: "peer", what: "message", n, at, body, kind, gap });
    }
    if (event.event === "thread_closed") put(event.thread, { by: "peer", what: "closed", n, at, reason: event.reason });
  }
  const all = [...threads.values()];
  for (const { entries } of all) entries.sort((a, b) => a.at - b.at);
  const lastOf = ({ entries }: Thread) => entries.at(-1)?.at ?? 0;
  return all.sort((a, b) => lastOf(b) - lastOf(a));
}

/** An own message that the outbox or the feed names. */
interface Own {
  thread: string;
  /** When it is first heard of. */
  at: number;
  state: Delivery;
  /** Whether it may be a text: of what is delivered already, nothing says what it was. */
  isText: boolean;
}

/** Own messages of a bond by their id, in the order in which they are heard of; `feed` is that of the bond. */
function ownMessages(bond: string, feed: readonly FeedItem[], outbox: readonly OutboxView[]): ReadonlyMap<string, Own> {
  const own = new Map<string, Own>();
  for (const { at, event } of feed) {
    if (event.event !== "delivery") continue;
    const { mid, thread, state } = event;
    own.set(mid, { isText: true, ...own.get(mid), thread, at: own.get(mid)?.at ?? at, state: state as Delivery });
  }
  for (const { mid, thread, kind, state, createdAt, bond: on } of outbox) {
    if (on !== bond) continue;
    const last = own.get(mid)?.state;
    const isText = kind === "core.msg";
    own.set(mid, { thread, at: createdAt, state: last ?? (state as Delivery), isText });
  }
  return own;
}

/** What became of notes whose sending was cut short: those that were stored for sending after all, and those that were not. */
export function settled(
  open: readonly Note[],
  all: readonly Note[],
  feedOf: (bond: string) => readonly FeedItem[],
  outbox: readonly OutboxView[],
): { sent: Note[]; unsent: Note[] } {
  const taken = new Set(all.flatMap(({ mid }) => mid ?? []));
  const sent: Note[] = [];
  const unsent: Note[] = [];
  for (const note of open.toSorted((a, b) => a.at - b.at)) {
    const found = [...ownMessages(note.bond, feedOf(note.bond), outbox)].find(
      ([mid, own]) => own.thread === note.thread && own.isText && own.at >= note.at && !taken.has(mid),
    );
    if (!found) unsent.push(note);
    else {
      taken.add(found[0]);
      sent.push({ ...note, mid: found[0] });
    }
  }
  return { sent, unsent };
}
