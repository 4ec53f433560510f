import type * as z from "zod";
import { AgentPairError, type FeedItem } from "../node.js";
import type { Untrusted } from "../untrusted.js";
import type { Call } from "./call.js";
import { entries } from "./feed.js";
import { petnames } from "./find.js";
import { type Part, partWithin } from "./frame.js";
import { type DeliveryResult, deliveryResult, type ItemResult, itemResult, longTextOf } from "./item.js";
import { Room } from "./room.js";
import type { inboxFields } from "./schemas.js";

/** What both tools answer. */
export type InboxResult = z.input<z.ZodObject<typeof inboxFields>>;

/** Most items of a page, unless the caller says otherwise. */
export const ITEMS = 20;
/** Most bytes of an item without its text. */
const HEAD_BYTES = 3_000;

/** What was handed over before has arrived by now: the agent comes again. Resolves with the read mark. */
export async function noteRead({ host, state }: Call): Promise<number> {
  const { read } = await host.me();
  if (state.handed <= read) return read;
  await host.markRead(state.handed);
  return state.handed;
}

/** Remembers what a result hands over, if nothing before it was left out. */
export function handOver({ state, signal }: Call, readMark: number, since: number, last: number): void {
  if (signal.aborted || since > Math.max(readMark, state.handed)) return;
  state.handed = Math.max(state.handed, last);
}

/** A page of the feed after entry `since`. */
export async function inboxPage(call: Call, readMark: number, since: number, limit: number): Promise<InboxResult> {
  const { host, state } = call;
  const names = await petnames(host);
  const room = new Room();
  const items: ItemResult[] = [];
  const deliveries = new Map<string, DeliveryResult>();
  let next = since;
  let isFull = false;
  for await (const entry of entries(host, since)) {
    if (entry.event.event === "delivery") {
      const news = deliveryResult(entry.event, names);
      isFull = !room.take(news);
      if (!isFull) deliveries.set(news.mid, news);
    } else {
      const item = items.length < limit ? fitting(entry, names, state.cap, room, items.length === 0) : undefined;
      isFull = item === undefined;
      if (item) items.push(item);
    }
    if (isFull) break;
    next = entry.n;
  }
  return { items, deliveries: [...deliveries.values()], read_mark: readMark, next_since: next, more: isFull };
}

/** An item, if there is room for it. The first one of a page is cut until it fits: else it could never be read. */
function fitting(entry: FeedItem, names: (bond: string) => string, cap: number, room: Room, isFirst: boolean) {
  const item = itemResult(entry, names, cap);
  if (room.take(item)) return item;
  if (!isFirst || room.left < 2 * HEAD_BYTES) return undefined;
  for (let shorter = Math.min(cap, room.left - HEAD_BYTES); shorter > 0; shorter = Math.floor(shorter * 0.8)) {
    const cut = itemResult(entry, names, shorter);
    if (room.take(cut)) return cut;
  }
  return undefined;
}

/**
 * One entry whole, page by page.
 *
 * @throws AgentPairError `invalid_argument` if there is no such entry.
 */
export async function wholeItem(call: Call, readMark: number, n: number, offset: number): Promise<InboxResult> {
  const [entry] = await call.host.feed({ since: n - 1, limit: 1 });
  if (entry?.n !== n || entry.event.event === "delivery") {
    throw new AgentPairError("invalid_argument", "caller", `the inbox has no item ${n}`);
  }
  const names = await petnames(call.host);
  const item = itemResult(entry, names, 0);
  const page: InboxResult = { items: [item], deliveries: [], read_mark: readMark, next_since: n, more: false };
  const long = longTextOf(entry);
  if (long === undefined) return page;
  const room = new Room();
  room.take(item);
  const part = partWithin(names(long.bond), long.text, offset, room.left) as Part<Untrusted>;
  Object.assign(item, { [long.member]: part.text, next_offset: part.next_offset });
  return { ...page, more: part.next_offset !== undefined };
}

/** Whether an entry is worth waking an agent for: something that it did not do itself, and does not know yet. */
export async function isNews({ host, state }: Call, { event }: FeedItem): Promise<boolean> {
  switch (event.event) {
    case "delivery":
      return event.state === "expired" || event.state === "refused";
    case "invite_published":
    case "invite_claimed":
    case "relay_trouble":
      return false;
    case "bond_changed":
      return event.status !== "pending";
    case "pending":
      return !state.told.has(event.pending) && (await host.pendings()).some(({ id }) => id === event.pending);
    case "session": {
      const session = await host.session(event.bond, event.thread);
      if (event.cause === "opened") return session?.openedBy === "peer";
      if (event.cause === "turn") return session?.yourTurn === true;
      if (event.cause === "signed") return session?.signedByPeer !== undefined;
      return true;
    }
    default:
      return true;
  }
}
