import type { BondView } from "agentpair";
import { useEffect, useMemo } from "preact/hooks";
import { conversations, type Thread } from "../../conversation.ts";
import { feed, live } from "../../live.ts";
import { notes, readNotes } from "../../notes.ts";
import { Card } from "../../parts/card.tsx";
import { Folded } from "../../parts/folded.tsx";
import { useLatest } from "../../parts/latest.tsx";
import { spoken, words } from "../../words/language.ts";
import { CloseThread } from "./close-thread.tsx";
import { Compose } from "./compose.tsx";
import { Entries } from "./entries.tsx";
import { canSend } from "./status.ts";

const room = words(
  {
    title: "Messages",
    none: "None yet.",
    open: (n: number) => `Conversation ${n}`,
    closed: (n: number) => `Conversation ${n}, closed`,
    other: "Begin another conversation",
    first: "Write a message",
    reply: "Your message",
    over: "This conversation is closed.",
  },
  {
    title: "Pesan",
    none: "Belum ada.",
    open: (n: number) => `Percakapan ${n}`,
    closed: (n: number) => `Percakapan ${n}, ditutup`,
    other: "Mulai percakapan lain",
    first: "Tulis pesan",
    reply: "Pesan Anda",
    over: "Percakapan ini sudah ditutup.",
  },
);

/** Conversations that are shown at once. */
const MOST = 10;

/** All that was said on a bond outside negotiations. */
export function Messages({ bond }: { bond: BondView }) {
  const w = spoken(room);
  useEffect(() => {
    void readNotes();
  }, [live.value]);
  const threads = useConversations(bond.id);
  const isFirst = threads.length === 0;
  const numbers = threads
    .toSorted((a, b) => (a.entries[0]?.at ?? 0) - (b.entries[0]?.at ?? 0))
    .map(({ thread }) => thread);
  const { shown, before } = useLatest(threads.toReversed(), MOST);
  return (
    <Card title={w.title}>
      {isFirst && <p>{w.none}</p>}
      {shown.toReversed().map((thread, i) => (
        <Conversation
          key={thread.thread}
          bond={bond}
          thread={thread}
          number={numbers.indexOf(thread.thread) + 1}
          isOnly={threads.length === 1}
          isOpen={i === 0}
        />
      ))}
      {before}
      {canSend(bond) &&
        (isFirst ? (
          <Compose bond={bond.id} label={w.first} />
        ) : (
          <details>
            <summary>{w.other}</summary>
            <Compose bond={bond.id} label={w.first} />
          </details>
        ))}
    </Card>
  );
}

/** What was said on a bond, put together anew only if something on that bond is new. */
function useConversations(bond: string): Thread[] {
  const isHere = (view: { bond: string }) => view.bond === bond;
  const entries = feed().ofBond(bond);
  const outbox = (live.value?.outbox ?? []).filter(isHere);
  const negotiations = (live.value?.sessions ?? []).filter(isHere).map(({ thread }) => thread);
  // Both are read anew after each change of anything: they are compared by what they say.
  const current = JSON.stringify([outbox, negotiations]);
  return useMemo(
    () => conversations({ bond, feed: entries, outbox, notes: notes.value, negotiations: new Set(negotiations) }),
    [bond, entries, entries.length, notes.value, current],
  );
}

interface ConversationProps {
  bond: BondView;
  thread: Thread;
  number: number;
  isOnly: boolean;
  isOpen: boolean;
}

function Conversation({ bond, thread, number, isOnly, isOpen }: ConversationProps) {
  const w = spoken(room);
  const all = (
    <>
      <Entries bond={bond} entries={thread.entries} />
      {thread.isClosed && <p class="hint">{w.over}</p>}
      {!thread.isClosed && canSend(bond) && (
        <>
          <Compose bond={bond.id} thread={thread.thread} label={w.reply} />
          <CloseThread bond={bond} thread={thread.thread} />
        </>
      )}
    </>
  );
  if (isOnly) return <div class="conversation">{all}</div>;
  return (
    <div class="conversation">
      <Folded summary={thread.isClosed ? w.closed(number) : w.open(number)} isOpen={isOpen}>
        {all}
      </Folded>
    </div>
  );
}
