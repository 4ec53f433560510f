import { signal } from "@preact/signals";

/** The languages of the page. */
export type Language = "en" | "id";

/** Their own names. */
export const LANGUAGES: { readonly [language in Language]: string } = { en: "English", id: "Bahasa Indonesia" };

const KEPT = "agentpair.language";

/** The language of the page. */
export const language = signal<Language>(firstLanguage());

function firstLanguage(): Language {
  const kept = fromStorage();
  if (kept === "en" || kept === "id") return kept;
  // "in" is what some systems still call Indonesian.
  return navigator.languages.some((name) => /^(id|in)\b/.test(name)) ? "id" : "en";
}

function fromStorage(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** Changes the language, for next time too where the browser keeps anything. */
export function speak(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
  try {
    localStorage.setItem(KEPT, chosen);
  } catch {}
}

/** The words of a room in both languages: English says what there is. */
export interface Words<T> {
  en: T;
  id: T;
}

/** Words of a room: the compiler sees to it that both languages have them all. */
export function words<T>(en: T, id: NoInfer<T>): Words<T> {
  return { en, id };
}

/** The words of the language that is spoken now; a component that asks is drawn anew when it changes. */
export function spoken<T>(room: Words<T>): T {
  return room[language.value];
}

/** The language, as it is usual where the reader is. */
export function locale(): string {
  return navigator.languages.find((name) => name.startsWith(language.value)) ?? language.value;
}

/** The word of a table for a key that somebody else chose: it may be the name of what every object has. */
export function wordFor(table: { readonly [key: string]: string }, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** A moment, in words of the language, as they are usual where the reader is. */
export function moment(ms: number): string {
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(locale(), isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}
