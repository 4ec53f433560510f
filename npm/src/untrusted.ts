import { peerLines, printable } from "./host/approval-text.js";

/** What a peer wrote, as it may be shown to a model: data, never instructions. */
export interface Untrusted {
  untrusted: true;
  source: "peer";
  /** The owner's name for that peer. */
  peer: string;
  /**
   * The text. Characters that move, hide or reorder text stand as `\u{202e}`; a `\u{` that the peer itself wrote as
   * `\u{5c}u{`. Nothing is removed.
   */
  data: string;
  /** Whether some characters stand as escapes. */
  escaped?: true;
  /** Whether `data` is only the beginning. */
  truncated?: true;
  /** Length of the whole text in UTF-8 bytes, where `data` is only a part. */
  original_bytes?: number;
}

/** UTF-8 bytes of a peer's text that are shown at once, unless the owner or the reader asks for more. */
export const PEER_TEXT_CAP = 8_192;
/** The most that can be asked for. */
export const PEER_TEXT_CAP_MAX = 65_536;

/** Frames what a peer wrote, cut after `cap` bytes as shown. */
export function untrusted(peer: string, text: string, cap: number = PEER_TEXT_CAP): Untrusted {
  const { data, rest } = escapedPrefix(text, cap);
  const frame: Untrusted = { untrusted: true, source: "peer", peer, data };
  if (data !== text.slice(0, text.length - rest)) frame.escaped = true;
  if (rest > 0) {
    frame.truncated = true;
    frame.original_bytes = byteLength(text);
  }
  return frame;
}

/** A text with everything escaped that {@link Untrusted.data} escapes. */
export function escaped(text: string): string {
  return printable(text.replaceAll("\\u{", "\\u{5c}u{"));
}

/** The longest beginning of whole characters whose escaped form has at most `cap` bytes. `rest` is in UTF-16 units. */
export function escapedPrefix(text: string, cap: number): { data: string; rest: number } {
  // Most texts are short: no need to look at each character.
  const whole = escaped(text);
  if (byteLength(whole) <= cap) return { data: whole, rest: 0 };
  let data = "";
  let bytes = 0;
  let used = 0;
  while (used < text.length) {
    // The peer's own `\u{` is one piece, so that no cut makes another escape of it.
    const piece = text.startsWith("\\u{", used) ? "\\u{" : String.fromCodePoint(text.codePointAt(used) ?? 0);
    const shown = escaped(piece);
    bytes += byteLength(shown);
    if (bytes > cap) break;
    data += shown;
    used += piece.length;
  }
  return { data, rest: text.length - used };
}

/** The same for a terminal: each line stands behind `peer |`, and cannot leave it. */
export function untrustedLines(text: string): string[] {
  return peerLines(text);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
