import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";

const PREFIX = "agentpair.draft.";

/** How many drafts were put back by something else than typing. */
const putBack = signal(0);

/** What was being written, kept for this tab: it survives a reload. In memory only where the browser keeps nothing. */
export function useDraft(name: string, initial = ""): Signal<string> {
  const text = useSignal(readDraft(name) ?? initial);
  const count = putBack.value;
  useEffect(() => {
    if (text.value === initial) text.value = readDraft(name) ?? initial;
  }, [count]);
  // Before anybody can type.
  useLayoutEffect(() => text.subscribe((now) => keepDraft(name, now === initial ? undefined : now)), [name]);
  return text;
}

/** Puts a text back to where it was written, unless another one is being written there. */
export function putBackDraft(name: string, text: string): void {
  if (readDraft(name) !== undefined) return;
  keepDraft(name, text);
  putBack.value += 1;
}

/** Forgets a draft: its text is kept somewhere else now. */
export function forgetDraft(name: string): void {
  keepDraft(name, undefined);
}

/** Forgets all drafts of this tab. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {}
}

function readDraft(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

function keepDraft(name: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, text);
  } catch {}
}
