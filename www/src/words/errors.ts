import { printable } from "../printable.ts";
import { ERRORS as ENGLISH, type Saying } from "./errors.en.ts";
import { ERRORS as INDONESIAN } from "./errors.id.ts";
import * as english from "./events.en.ts";
import * as indonesian from "./events.id.ts";
import { language, spoken, words } from "./language.ts";

const room = words(
  {
    errors: ENGLISH as Table,
    events: english as Events,
    unknownOutcome: (code: string) => `The relay refused the pairing (${code}). Nobody is bonded. Make a new invite.`,
  },
  {
    errors: INDONESIAN,
    events: indonesian,
    unknownOutcome: (code) => `Relai menolak penyandingan ini (${code}). Tidak ada ikatan. Buat undangan baru.`,
  },
);

interface Table {
  readonly [code: string]: Saying;
}

interface Events {
  readonly OUTCOMES: Table;
  readonly REASONS: Table;
  readonly REFUSED: Table;
  readonly DELIVERY: Table;
}

/** An error, in words of the language: what happened, and what to do. */
export function inWords(error: unknown): string {
  const message = messageOf(error);
  const code = codeOf(error, message);
  const { errors, events } = spoken(room);
  const known =
    said(errors, code, message) ?? said(events.OUTCOMES, code, message) ?? said(events.REFUSED, code, message);
  if (known !== undefined) return known;
  // A code that is not known here: the package's own sentence says more than ours could.
  if (code !== undefined && language.value === "en") return sentence(message);
  return said(errors, "unexpected", message) ?? sentence(message);
}

/** How a pairing ended; an outcome may also be a code of the relay. */
export function outcomeInWords(outcome: string): string {
  const { errors, events, unknownOutcome } = spoken(room);
  return said(events.OUTCOMES, outcome, "") ?? said(errors, outcome, outcome) ?? unknownOutcome(printable(outcome));
}

/** Why a bond or a negotiation is over; `undefined` if that is no code, but what somebody wrote. */
export function reasonInWords(reason: string): string | undefined {
  return said(spoken(room).events.REASONS, reason, "");
}

/** Why one side refused what the other had sent. */
export function refusedInWords(code: string): string {
  const { events } = spoken(room);
  return said(events.REFUSED, code, "") ?? said(events.REASONS, code, "") ?? `${printable(code)}.`;
}

/** How far a message of one's own came, and why no further. */
export function deliveryInWords(state: string, code?: string): string {
  const { events } = spoken(room);
  const told = said(events.DELIVERY, state, "") ?? printable(state);
  return code === undefined ? told : `${told} ${refusedInWords(code)}`;
}

function said(table: Table, code: string | undefined, message: string): string | undefined {
  if (code === undefined || !Object.hasOwn(table, code)) return undefined;
  const saying = table[code];
  return typeof saying === "function" ? saying(message.replace(/[.\s]+$/, "")) : saying;
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return printable(typeof message === "string" && message !== "" ? message : String(error));
}

/** The code of an error, or what an error of the browser itself comes to. */
function codeOf(error: unknown, message: string): string | undefined {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "string") return code;
  if (/WebAssembly|wasm/i.test(message)) return "no_wasm";
  // What browsers say when a part of the page does not load.
  if (name === "TypeError" && /import|fetch|load failed|networkerror/i.test(message)) return "core_unreachable";
  if (name === "QuotaExceededError") return "storage_full";
  return undefined;
}

function sentence(text: string): string {
  return `${text.charAt(0).toLocaleUpperCase(language.value)}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}
