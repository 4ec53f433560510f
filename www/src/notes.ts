// Texts that were sent from this browser: the host keeps none of them once they are delivered. In a database of their own;
// where the browser keeps nothing, until the page is closed.
//
// A text is noted before it is sent, without an id, and gets the message's id afterwards. What has none was cut short: the
// outbox and the feed tell whether it was stored for sending. If it was, it is noted as sent, and not sent again; if it
// was not, it goes back to where it was written.
import { signal } from "@preact/signals";
import type { Host } from "agentpair";
import { type Note, settled } from "./conversation.ts";
import { forgetDraft, putBackDraft } from "./draft.ts";
import { FeedIndex } from "./feed-index.ts";
import { feed, live } from "./live.ts";

const NAME = "agentpair-notes";
const TABLE = "notes";
/** Held while something is sent, so that no other tab takes it for cut short. */
const LOCK = "agentpair-notes";
/** Where the tabs tell each other which note they have changed, by its id. */
const CHANGED = "agentpair-notes";

/** What was sent from this browser, as far as it was read. */
export const notes = signal<readonly Note[]>([]);

let opening: Promise<IDBDatabase | undefined> | undefined;

const otherTabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANGED);
// A tab that has read nothing so far reads all of it when it is asked to show it.
otherTabs?.addEventListener("message", ({ data }) => opening && void readNote(String(data)));

/**
 * Reads what other tabs noted meanwhile. All texts are read only where there are more or fewer than are known here;
 * besides, those whose sending is not over.
 */
export async function readNotes(): Promise<void> {
  const count = await run<number>("readonly", (table) => table.count());
  if (count === undefined) return;
  if (count === notes.value.length) {
    for (const { id } of notes.value.filter(isOpen)) await readNote(id);
    return;
  }
  const found = await run<Note[]>("readonly", (table) => table.getAll());
  if (found) notes.value = found;
}

/** Reads one note again, which another tab may have changed or removed. */
async function readNote(id: string): Promise<void> {
  const found = await run<Note[]>("readonly", (table) => table.getAll(id));
  const known = notes.value.find((note) => note.id === id);
  // What was sent stays so: what was read may be of a moment before.
  if (!found || (known && !isOpen(known))) return;
  const isSame = found.length === (known ? 1 : 0) && found[0]?.mid === known?.mid;
  if (!isSame) notes.value = [...notes.value.filter((note) => note.id !== id), ...found];
}

/** Sends a text on a thread, or a new one, and notes it. */
export async function sendNoted(host: Host, bond: string, body: string, thread?: string): Promise<void> {
  const id = crypto.randomUUID();
  const note: Note = { id, bond, thread: thread ?? id, at: Date.now(), body };
  await alone(async () => {
    await put(note);
    // It is in one place only, so that whoever reloads now does not find it sent and to be sent.
    forgetDraft(draftOf(bond, thread));
    try {
      const { mid } = await host.send(bond, body, { thread: note.thread });
      await put({ ...note, mid });
    } catch (error) {
      await settleOpen(host, note);
      throw error;
    }
  });
}

/** Notes that a thread was closed from here. */
export async function noteClosed(bond: string, thread: string): Promise<void> {
  await put({ id: crypto.randomUUID(), bond, thread, at: Date.now() });
}

/** Finds out what became of texts whose sending was cut short. */
export async function settleNotes(host: Host): Promise<void> {
  await readNotes();
  if (notes.value.some(isOpen)) await alone(() => settleOpen(host));
}

/** Where the text for a thread is written; that of a new one without. */
export function draftOf(bond: string, thread: string | undefined): string {
  return `message.${bond}.${thread ?? ""}`;
}

/** Forgets all of it. */
export async function wipeNotes(): Promise<void> {
  const database = await opening?.catch(() => undefined);
  database?.close();
  opening = undefined;
  notes.value = [];
  if (typeof indexedDB === "undefined") return;
  const request = indexedDB.deleteDatabase(NAME);
  await new Promise<void>((resolve) => {
    request.onsuccess = () => resolve();
    request.onerror = () => resolve();
    // Another tab has it open, and closes it when it is asked to.
    request.onblocked = () => resolve();
  });
}

function isOpen({ body, mid }: Note): boolean {
  return body !== undefined && mid === undefined;
}

async function settleOpen(host: Host, own?: Note): Promise<void> {
  await readNotes();
  const open = notes.value.filter(isOpen);
  // Where there was no room to note it, it is known here only.
  if (own && !notes.value.some(({ id }) => id === own.id)) open.push(own);
  if (open.length === 0) return;
  // The index of this tab may be behind: the rest is in an index of its own.
  const since = feed().last;
  const rest = new FeedIndex();
  for (let last = since; ; last = rest.last) {
    const page = await host.feed({ since: last, limit: 1_000 });
    if (page.length === 0) break;
    rest.add(page);
  }
  const feedOf = (bond: string) => [
    ...feed()
      .ofBond(bond)
      .filter(({ n }) => n <= since),
    ...rest.ofBond(bond),
  ];
  const { sent, unsent } = settled(open, notes.value, feedOf, await host.outbox());
  for (const note of sent) await put(note);
  for (const note of unsent) {
    const isKnown = hasThread(note);
    putBackDraft(draftOf(note.bond, isKnown ? note.thread : undefined), note.body ?? "");
    await remove(note.id);
  }
}

/** Whether something was said on a thread: else it began with the text that was not sent. */
function hasThread({ bond, thread, id }: Note): boolean {
  const isNoted = notes.value.some((n) => n.id !== id && n.bond === bond && n.thread === thread);
  return (
    isNoted || feed().ofThread(bond, thread).length > 0 || (live.value?.outbox ?? []).some((o) => o.thread === thread)
  );
}

async function put(note: Note): Promise<void> {
  notes.value = [...notes.value.filter(({ id }) => id !== note.id), note];
  await run("readwrite", (table) => table.put(note));
  otherTabs?.postMessage(note.id);
}

async function remove(id: string): Promise<void> {
  notes.value = notes.value.filter((note) => note.id !== id);
  await run("readwrite", (table) => table.delete(id));
  otherTabs?.postMessage(id);
}

/** One at a time, in all tabs. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  return "locks" in navigator ? (navigator.locks.request(LOCK, work) as Promise<T>) : work();
}

/** Works on the table, until it is durable. Nothing where the browser keeps nothing. */
async function run<T>(mode: IDBTransactionMode, act: (table: IDBObjectStore) => IDBRequest): Promise<T | undefined> {
  const database = await open();
  if (!database) return undefined;
  try {
    const transaction = database.transaction(TABLE, mode, { durability: "strict" });
    const request = act(transaction.objectStore(TABLE));
    return await new Promise<T>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result as T);
      transaction.onabort = () => reject(transaction.error);
    });
  } catch {
    return undefined;
  }
}

function open(): Promise<IDBDatabase | undefined> {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(TABLE, { keyPath: "id" });
      request.onerror = () => resolve(undefined);
      request.onsuccess = () => {
        const database = request.result;
        // Another tab wipes it: then it is gone here too.
        database.onversionchange = () => {
          database.close();
          opening = undefined;
          notes.value = [];
        };
        resolve(database);
      };
    } catch {
      resolve(undefined);
    }
  });
  return opening;
}
