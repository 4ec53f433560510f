import { batch, computed, signal } from "@preact/signals";
import type { BondView, FeedItem, Host, HostView, OutboxView, PairingView, PendingItem, SessionView } from "agentpair";
import { FeedIndex } from "./feed-index.ts";
import { loadCore, RELAYS } from "./host.ts";

/** All that the page shows of its host. */
export interface Live {
  me: HostView;
  bonds: BondView[];
  pendings: PendingItem[];
  pairings: PairingView[];
  sessions: SessionView[];
  outbox: OutboxView[];
}

/** Whether there is a host on this page. */
export const phase = signal<"resting" | "opening" | "open" | "failed">("resting");
/** Why there is none, or why it stopped. */
export const failure = signal<unknown>(undefined);
/** The state of the host, as it is now. */
export const live = signal<Live | undefined>(undefined);
/** Trouble that no act of the human has caused; the last one. */
export const trouble = signal<unknown>(undefined);

/** What happened. The index grows in place: it is wrapped anew whenever it has. */
const happened = signal({ index: new FeedIndex() });

/** What happened, as far as it is known; a component that asks is drawn anew when there is more. */
export function feed(): FeedIndex {
  return happened.value.index;
}

/** What waits for the human. */
export const waiting = computed(() => live.value?.pendings ?? []);

/** Entries of the feed that are read at once. */
const PAGE = 1_000;

let opening: Promise<Host> | undefined;
/** When it was opened: what happened before is no news. */
let openedAt = 0;

/** The host of this page: opens it, and makes it if there is none yet. */
export function openHost(): Promise<Host> {
  opening ??= open().catch((error) => {
    opening = undefined;
    failure.value = error;
    phase.value = "failed";
    throw error;
  });
  return opening;
}

/** Opens the host that there is, after the first view stands; a newcomer has none. */
export async function wake(): Promise<void> {
  try {
    const { Host } = await loadCore();
    if (await Host.exists()) await openHost();
  } catch (error) {
    failure.value = error;
    phase.value = "failed";
  }
}

/** Closes the host: before its data are replaced or wiped. */
export async function closeHost(): Promise<void> {
  const host = await opening?.catch(() => undefined);
  opening = undefined;
  await host?.close();
  forget();
  phase.value = "resting";
}

/** Shows nothing of the host any more. */
function forget(): void {
  live.value = undefined;
  learn(new FeedIndex(), []);
}

async function open(): Promise<Host> {
  phase.value = "opening";
  failure.value = undefined;
  openedAt = Date.now();
  const { Host } = await loadCore();
  const host = await Host.open({
    ...(RELAYS[0] === undefined ? {} : { relay: RELAYS[0] }),
    onProblem: (error) => {
      if (error.code !== codeOf(failure.value)) trouble.value = error;
    },
  });
  await look(host);
  phase.value = "open";
  void follow(host);
  return host;
}

/** Looks after every change, as long as the host is open. */
async function follow(host: Host): Promise<void> {
  try {
    await host.until(() => look(host), "the end");
  } catch (error) {
    const code = codeOf(error);
    if (code === "host_closed") return;
    failure.value = error;
    phase.value = "failed";
    // Told once.
    if (codeOf(trouble.value) === code) trouble.value = undefined;
    // What somebody has wiped, in another tab maybe, is not shown any more either.
    if (code === "store_gone") forget();
    // This one is of no use any more: the next act opens another.
    opening = undefined;
    await host.close().catch(() => {});
  }
}

async function look(host: Host): Promise<undefined> {
  const [me, bonds, pendings, pairings, sessions, outbox] = await Promise.all([
    host.me(),
    host.bonds(),
    host.pendings(),
    host.pairings(),
    host.sessions(),
    host.outbox(),
  ]);
  const news: FeedItem[] = [];
  let { last } = feed();
  while (last < me.feed) {
    const page = await host.feed({ since: last, limit: PAGE });
    if (page.length === 0) break;
    news.push(...page);
    last = page.at(-1)?.n ?? last;
  }
  // Drawn once, the state with what has led to it.
  batch(() => {
    live.value = { me, bonds, pendings, pairings, sessions, outbox };
    if (news.length > 0) learn(feed(), news);
    for (const item of news) if (item.at >= openedAt) tell(item);
  });
}

/** Adds to an index, which is the one that is shown from then on. */
function learn(index: FeedIndex, news: readonly FeedItem[]): void {
  index.add(news);
  happened.value = { index };
}

/** What the human has to know wherever they are on the page. */
function tell({ event }: FeedItem): void {
  if (event.event === "clock_skew") trouble.value = { code: event.event, message: String(event.seconds) };
}

export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}
