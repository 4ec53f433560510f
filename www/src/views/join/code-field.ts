// Pure text: completion and mending of a code while it is typed. Whether it is a code says the package's `parseCode`.

/** What separates the pieces of a code, as the protocol reads it. */
const GAP = "[\\s_\\-\\u2010-\\u2015\\u2212]+";
/** Words of a spoken code. */
const WORDS = 3;
/** A number, the whole words before, and the word that is being typed. */
const TYPING = new RegExp(`^(\\s*\\d{2,5}(?:${GAP}[a-z]+){0,${WORDS - 1}}${GAP})([a-z]+)$`, "i");

/** The words that may be meant by the last one of a code that is being typed; none if it is whole already. */
export function completions(typed: string, list: readonly string[], limit = 6): string[] {
  const word = TYPING.exec(typed.normalize("NFKC"))?.[2]?.toLowerCase();
  if (word === undefined) return [];
  const meant = list.filter((known) => known.startsWith(word));
  return meant[0] === word ? [] : meant.slice(0, limit);
}

/** The code with its last word completed, ready for the next one. */
export function completed(typed: string, word: string): string {
  const text = typed.normalize("NFKC");
  const [, before = text] = TYPING.exec(text) ?? [];
  return pieces(before).length < WORDS ? `${before}${word}-` : `${before}${word}`;
}

/** A word of a code that is not in the list. */
export interface Typo {
  /** Which of the three, from 1. */
  position: number;
  /** The word that was probably meant. */
  nearest: string;
}

/** What the error `code_word_unknown` says. */
export function typoOf(error: unknown): Typo | undefined {
  const { code, message } = error as { code?: string; message?: string };
  const [, position, nearest] = /\bword ([123]) .*?"?([a-z]+)"?\?$/.exec(message ?? "") ?? [];
  if (code !== "code_word_unknown" || nearest === undefined) return undefined;
  return { position: Number(position), nearest };
}

/** The code with that word put right. */
export function corrected(typed: string, { position, nearest }: Typo): string {
  return pieces(typed.normalize("NFKC"))
    .map((piece, n) => (n === position ? nearest : piece))
    .join("-");
}

/** The word at a place of a code as it was typed. */
export function wordAt(typed: string, position: number): string {
  return pieces(typed.normalize("NFKC"))[position] ?? "";
}

function pieces(text: string): string[] {
  return text.split(new RegExp(GAP)).filter(Boolean);
}

/** Whether two base URLs name the same relay. */
export function isSameRelay(one: string, other: string): boolean {
  const plain = (url: string) => URL.parse(url)?.href.replace(/\/+$/, "");
  return plain(one) !== undefined && plain(one) === plain(other);
}

/** A link with a code in it: 16 bytes each of name and secret. */
const LINK = /[^\s#]*#[^\s#]*?\bi=l[\w-]{22}\.[\w-]{22}/;

/** The link in a text that was pasted or scanned, such as a whole message around it; nothing if there is none. */
export function linkIn(text: string): string | undefined {
  return LINK.exec(text)?.[0];
}
