import type { PendingView } from "../wasm/agentpair.js";
import type { Question } from "./human.js";

/** Narrow enough that no terminal wraps a line: a wrapped line could pass for one of ours. */
const COLUMNS = 72;
const OWN = "      ";
const PEER = ["  peer | ", "  peer + "] as const;

/** The text of an approval file. Only lines that begin at the margin are instructions of AgentPair. */
export function approvalText({ pending, approveCode, rejectCode }: Question): string {
  return [
    "AgentPair asks for your decision.",
    "",
    ...shownLines(pending),
    "",
    "To decide, give one of these codes to your agent, or type it where you were asked.",
    `approve: ${approveCode}`,
    `reject:  ${rejectCode}`,
    `valid until ${new Date(pending.expiresAt).toISOString()}`,
    "",
  ].join("\n");
}

/** The question and all that it is about. What the peer wrote stands behind `peer |`, and cannot leave it. */
export function shownLines({ question, shown }: PendingView): string[] {
  // In pieces: a text may have more lines than a call can have arguments.
  const pieces = [block(question, ["  ", "  "])];
  for (const { label, text, from_peer: fromPeer } of shown) {
    const by = fromPeer ? " (written by the peer, checked by nobody)" : "";
    const lines = fromPeer ? peerLines(text) : block(text, [OWN, OWN]);
    pieces.push([""], block(`${label}${by}:`, ["  ", "  "]), lines);
  }
  return pieces.flat();
}

/** What a peer wrote, line by line behind `peer |`. */
export function peerLines(text: string): string[] {
  return block(text, PEER);
}

/** Makes every character visible that could move, hide or reorder text, or is unseen itself: `\u{202e}`. Line feeds stay. */
export function printable(text: string): string {
  return text.replace(
    /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`,
  );
}

/** The lines of a text, each with a prefix, cut where they are too long. */
function block(text: string, [first, next]: readonly [string, string]): string[] {
  return printable(text)
    .split("\n")
    .flatMap((line) => cut(line, COLUMNS - first.length))
    .map(({ text, isFirst }) => (isFirst ? first : next) + text);
}

function cut(line: string, columns: number): { text: string; isFirst: boolean }[] {
  const pieces = [{ text: "", isFirst: true }];
  let used = 0;
  for (const c of line) {
    // Beyond ASCII, characters may take two columns.
    const width = c < "\u{7f}" ? 1 : 2;
    if (used + width > columns) {
      pieces.push({ text: "", isFirst: false });
      used = 0;
    }
    const last = pieces.at(-1);
    if (last) last.text += c;
    used += width;
  }
  return pieces;
}
