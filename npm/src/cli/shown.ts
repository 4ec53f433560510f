import { printable } from "../host/approval-text.js";
import { nameWords } from "../mcp/frame.js";
import { untrustedLines } from "../untrusted.js";

// Strings that may be a peer's, as a terminal shows them. For JSON, ../mcp has the shapes: both speak alike.

/** The name of a thread, whoever chose it, within a line of ours. */
export function threadName(thread: string): string {
  return isPlain(thread) ? thread : "(named in the peer's own words)";
}

/** Lines that a thread needs besides, where its name cannot stand in a line of ours. */
export function threadLines(thread: string): string[] {
  return isPlain(thread) ? [] : untrustedLines(thread);
}

/** A text, by who wrote it: one's own is moved in, a peer's stands behind `peer |`. */
export function linesBy(author: "me" | "peer", text: string): string[] {
  if (author === "peer") return untrustedLines(text);
  return printable(text)
    .split("\n")
    .map((line) => `      ${line}`);
}

/** A table: columns as wide as what is in them. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function isPlain(name: string): boolean {
  return typeof nameWords("", name) === "string";
}
