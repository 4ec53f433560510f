// What `make demo` writes down. A file of somebody else's is checked here, and believed in nothing.

/** One thing that somebody did. */
export interface Line {
  /** Milliseconds since the beginning. */
  ms: number;
  who: string;
  what: string;
  why: string;
}

/** A whole transcript. */
export interface Transcript {
  lines: Line[];
  safetyNumber: string;
  /** Digest of the agreement, lowercase hex: what the file says, until the receipt is verified. */
  agreement: string;
  /** SHA-256 of the text that was agreed, lowercase hex. */
  sha256: string;
  /** The text of the receipt. */
  receipt: string;
  /** The names of the two sides, in the order in which they appear. */
  sides: [first: string, second: string];
}

/** Whose a line is. */
export interface Speaker {
  /** 0 or 1, or `relay` for what is between them. */
  side: 0 | 1 | "relay";
  name: string;
  isHuman: boolean;
}

/** Why a file is no transcript. */
export type TranscriptFault = "too_large" | "not_json" | "not_a_transcript" | "too_long" | "not_two_sides";

export class TranscriptError extends Error {
  readonly code: TranscriptFault;

  constructor(code: TranscriptFault) {
    super(code);
    this.code = code;
  }
}

/** A transcript holds a receipt, whose text has at most 1 MiB before it is escaped. */
export const TRANSCRIPT_BYTES = 8 * 1024 * 1024;
const LINES = 1_000;
const NAME = 64;
const TEXT = 1_000;

/** Whoever keeps the relay, and neither side. */
const KEEPER = "demo";
const HUMAN = /^(.+)'s human$/s;

/** @throws TranscriptError */
export function parseTranscript(text: string): Transcript {
  if (text.length > TRANSCRIPT_BYTES) throw new TranscriptError("too_large");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TranscriptError("not_json");
  }
  return checkTranscript(value);
}

/** @throws TranscriptError */
export function checkTranscript(value: unknown): Transcript {
  const keys = ["lines", "safety_number", "agreement", "sha256", "receipt"];
  if (!isRecord(value, keys)) throw new TranscriptError("not_a_transcript");
  const { lines, safety_number: safetyNumber, agreement, sha256, receipt } = value;
  if (!Array.isArray(lines) || lines.length === 0) throw new TranscriptError("not_a_transcript");
  if (lines.length > LINES) throw new TranscriptError("too_long");
  const isSound =
    typeof safetyNumber === "string" &&
    /^\d{6}( \d{6}){4}$/.test(safetyNumber) &&
    isDigest(agreement) &&
    isDigest(sha256) &&
    typeof receipt === "object" &&
    receipt !== null &&
    lines.every(isLine) &&
    lines.every(({ ms }, n) => ms >= (lines[n - 1]?.ms ?? 0));
  if (!isSound) throw new TranscriptError("not_a_transcript");
  return { lines, safetyNumber, agreement, sha256, receipt: JSON.stringify(receipt), sides: sidesOf(lines) };
}

/** Whose a line of a transcript is. */
export function speakerOf({ who }: Line, { sides }: Pick<Transcript, "sides">): Speaker {
  const name = nameOf(who);
  if (name === undefined) return { side: "relay", name: who, isHuman: false };
  return { side: name === sides[0] ? 0 : 1, name, isHuman: HUMAN.test(who) };
}

function sidesOf(lines: readonly Line[]): [string, string] {
  const names = new Set(lines.map(({ who }) => nameOf(who)).filter((name) => name !== undefined));
  const [first, second, third] = names;
  if (first === undefined || second === undefined || third !== undefined) throw new TranscriptError("not_two_sides");
  return [first, second];
}

/** The name of the side that did it; none for the relay's keeper. */
function nameOf(who: string): string | undefined {
  return who === KEEPER ? undefined : (HUMAN.exec(who)?.[1] ?? who);
}

function isLine(value: unknown): value is Line {
  if (!isRecord(value, ["ms", "who", "what", "why"])) return false;
  const { ms, who, what, why } = value;
  return Number.isSafeInteger(ms) && isText(who, 1, NAME) && isText(what, 1, TEXT) && isText(why, 0, TEXT);
}

function isText(value: unknown, least: number, most: number): value is string {
  return typeof value === "string" && value.length >= least && value.length <= most;
}

function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** Whether it is an object with exactly these keys. */
function isRecord(value: unknown, keys: readonly string[]): value is { [key: string]: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const own = Object.keys(value);
  return own.length === keys.length && keys.every((key) => Object.hasOwn(value, key));
}
