import { escaped, escapedPrefix, PEER_TEXT_CAP_MAX, type Untrusted, untrusted } from "../untrusted.js";
import { jsonBytes } from "./room.js";

/** Own words, or a peer's words in a frame. */
export type Words = string | Untrusted;

/** A part of a text; `next_offset` if there is more. Offsets are in UTF-16 units. */
export interface Part<T extends Words = Words> {
  text: T;
  next_offset?: number;
}

/** Bytes of a name that are shown: of a thread, a kind, a criterion. */
export const NAME_CAP = 256;

/** Names that may be shown as they are, and used as arguments: those that this side could give itself. */
const PLAIN_NAME = /^[A-Za-z0-9._:-]{1,128}$/;

/** A name that a peer may have chosen, such as a thread: plain where it is harmless, in a frame otherwise. */
export function nameWords(peer: string, name: string): Words {
  return PLAIN_NAME.test(name) ? name : untrusted(peer, name, NAME_CAP);
}

/** A word of a bond's scope: what this version knows is plain, any other is a label that the inviting side chose. */
export function scopeWords(peer: string, word: string): Words {
  return word === "message" || word === "negotiate" ? word : untrusted(peer, word, NAME_CAP);
}

/** Whether an argument means that thread: by its name, or by the name as it was shown, cut or whole. */
export function isThread(thread: string, argument: string): boolean {
  return [thread, escaped(thread), escapedPrefix(thread, NAME_CAP).data].includes(argument);
}

/** Words of a peer, or own words if there is no peer: the beginning, `cap` bytes at most. */
export function words(peer: string | undefined, text: string, cap: number): Words {
  return part(peer, text, 0, cap).text;
}

/** What a peer wrote, from `offset` on, `cap` bytes as shown at most. */
export function peerPart(peer: string, text: string, offset: number, cap: number): Part<Untrusted> {
  // Characters beyond the cap cannot fit: each takes a byte at least, and is in two units at most.
  const ahead = text.slice(offset, offset + cap + 4);
  const { rest } = escapedPrefix(ahead, cap);
  const end = Math.min(offset, text.length) + ahead.length - rest;
  const frame = untrusted(peer, text.slice(offset, end), Number.POSITIVE_INFINITY);
  if (offset === 0 && end >= text.length) return { text: frame };
  const cut: Untrusted = { ...frame, truncated: true, original_bytes: Buffer.byteLength(text) };
  return end < text.length ? { text: cut, next_offset: end } : { text: cut };
}

/** A part of a peer's words, or of own words if there is no peer. */
export function part(peer: string | undefined, text: string, offset: number, cap: number): Part {
  if (peer !== undefined) return peerPart(peer, text, offset, cap);
  let end = Math.min(offset + cap, text.length);
  while (end > offset && Buffer.byteLength(text.slice(offset, end)) > cap) end -= Math.ceil((end - offset) / 16);
  const isCutInCharacter = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
  if (isCutInCharacter && end - 1 > offset) end -= 1;
  const piece = text.slice(offset, end);
  return end < text.length ? { text: piece, next_offset: end } : { text: piece };
}

/** The longest part whose JSON has at most `bytes` bytes: for texts that the reader asked for. */
export function partWithin(peer: string | undefined, text: string, offset: number, bytes: number): Part {
  let cap = Math.min(bytes, PEER_TEXT_CAP_MAX);
  for (;;) {
    const found = part(peer, text, offset, cap);
    const size = jsonBytes(found);
    if (size <= bytes || cap < 16) return found;
    cap = Math.floor(cap * Math.min(0.9, bytes / size));
  }
}
