import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { feed, live, openHost } from "./live.ts";
import { isNews, unseen, upTo } from "./unseen.ts";

const KEPT = "agentpair.seen";

/** Entries of the feed that were on the screen, and are not below those that the other sides are told of. */
const seen = signal<ReadonlySet<number>>(kept());

/** What the human has not seen. */
export const news = computed(() => unseen(feed().news, seen.value, live.value?.me.read ?? 0));

/** Takes note of entries that were on the screen. The other sides are told of what has nothing unseen before it. */
function sawEntries(entries: readonly number[]): void {
  const read = live.value?.me.read ?? 0;
  const now = new Set([...kept(), ...seen.value, ...entries].filter((n) => n > read));
  if (entries.every((n) => n <= read || seen.value.has(n))) return;
  seen.value = now;
  try {
    localStorage.setItem(KEPT, JSON.stringify([...now]));
  } catch {}
  const last = upTo(feed().news, feed().last, now, read);
  // Told another time if it fails: it is kept.
  if (last > read)
    void openHost()
      .then((host) => host.markRead(last))
      .catch(() => {});
}

/** Forgets it. */
export function forgetSeen(): void {
  seen.value = new Set();
  try {
    localStorage.removeItem(KEPT);
  } catch {}
}

/** The element that shows an entry: it is seen once it was on the screen of somebody who has the page before them. */
export function useSeen<E extends Element>(entries: readonly number[]) {
  const element = useRef<E>(null);
  const names = entries.join(" ");
  useEffect(() => {
    if (!element.current || entries.length === 0) return;
    const see = () => document.visibilityState === "visible" && isOn && sawEntries(entries);
    let isOn = false;
    const observer = new IntersectionObserver((changes) => {
      isOn = changes.at(-1)?.isIntersecting ?? false;
      see();
    });
    observer.observe(element.current);
    document.addEventListener("visibilitychange", see);
    return () => {
      observer.disconnect();
      document.removeEventListener("visibilitychange", see);
    };
  }, [names]);
  return element;
}

/** Entries about a negotiation that are news. */
export function newsOf(bond: string, thread: string): number[] {
  return feed()
    .ofThread(bond, thread)
    .filter(isNews)
    .map(({ n }) => n);
}

function kept(): ReadonlySet<number> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return new Set(Array.isArray(found) ? found.filter(Number.isInteger) : []);
  } catch {
    return new Set();
  }
}
