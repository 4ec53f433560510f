import { computed, signal } from "@preact/signals";
import type { PendingItem } from "agentpair";
import { useEffect, useId, useRef } from "preact/hooks";
import { feed } from "../../live.ts";
import { say } from "../../parts/say.tsx";
import { spoken } from "../../words/language.ts";
import { atHand } from "./at-hand.ts";
import { Question } from "./question.tsx";
import { isAbout } from "./subject.ts";
import "./waiting.css";
import { kinds, room } from "./words.ts";

/** Items that another part of the view shows already, where they belong. */
const elsewhere = signal<readonly string[]>([]);

/** What waits, in the order in which it was asked. */
const inOrder = computed(() => {
  const when = ({ id }: PendingItem) => feed().askedAt(id) ?? Number.POSITIVE_INFINITY;
  return atHand.value.toSorted((one, other) => when(one) - when(other) || one.expiresAt - other.expiresAt);
});

/** What waits for the human; of one bond only, or of one thread of it, where one is named. The newest stands last. */
export function Waiting({ bond, thread }: { bond?: string; thread?: string }) {
  const w = spoken(room);
  const id = useId();
  const items = inOrder.value.filter((item) => isAbout(item, bond, thread) && !elsewhere.value.includes(item.id));
  useNews(items);
  if (items.length === 0) return null;
  return (
    <section class="waiting" aria-labelledby={id}>
      <h2 id={id}>{w.heading(items.length)}</h2>
      {items.map((item) => (
        <Question key={`${item.id}/${item.digest}`} item={item} />
      ))}
    </section>
  );
}

interface WaitingHereProps {
  item: PendingItem;
  heading?: "h2" | "h3";
  /** The human has just asked for it. */
  takesFocus?: boolean;
}

/** One item in its place within a view; `Waiting` leaves it out meanwhile. */
export function WaitingHere({ item, heading = "h3", takesFocus = false }: WaitingHereProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    known.add(item.id);
    elsewhere.value = [...elsewhere.value, item.id];
    if (takesFocus) place.current?.focus();
    return () => {
      elsewhere.value = elsewhere.value.filter((id) => id !== item.id);
    };
  }, [item.id]);
  return (
    <div ref={place} class="question-here" tabIndex={-1}>
      <Question key={`${item.id}/${item.digest}`} item={item} heading={heading} />
    </div>
  );
}

/** Items that were said to be new, or were there when the view was opened. */
const known = new Set<string>();

/** Says once that something new waits. */
function useNews(items: readonly PendingItem[]): void {
  const w = spoken(room);
  const names = spoken(kinds);
  const isFirst = useRef(true);
  const ids = items.map(({ id }) => id).join(" ");
  useEffect(() => {
    const news = items.filter(({ id }) => !known.has(id));
    for (const { id } of news) known.add(id);
    const [item] = news;
    if (item && !isFirst.current) say(w.news(names[item.subject.kind].name));
    isFirst.current = false;
  }, [ids]);
}
