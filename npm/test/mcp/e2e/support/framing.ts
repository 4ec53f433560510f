import assert from "node:assert/strict";
import type { Frame, Json } from "./agent.ts";
import { MARKER, UNSEEN, unescaped } from "./contents.ts";

/** Most bytes of a peer's text in one frame, unless more was asked for. */
const CAP = 8_192;
/** Most bytes of a page of a text that was asked for. */
export const PAGE_CAP = 13_000;
/** Names that may be shown as they are, whoever chose them. */
const PLAIN_NAME = /^[A-Za-z0-9._:-]{1,128}$/;

export function isFrame(value: unknown): value is Frame {
  return typeof value === "object" && value !== null && (value as Json).untrusted === true;
}

/** Fails if anything that a peer wrote stands outside of a frame, or inside one in a form that could do harm. */
export function assertFramed(value: unknown, peer: string, where: string, cap: number = CAP): void {
  for (const { path, found } of leaves(value)) {
    const place = `${where} at ${path.join(".")}: ${JSON.stringify(found).slice(0, 300)}`;
    for (const key of path) assert.doesNotMatch(key, MARKER, place);
    if (isFrame(found)) {
      const { untrusted, source, peer: named, data, escaped, truncated, original_bytes, ...rest } = found;
      assert.deepEqual([untrusted, source, rest], [true, "peer", {}], place);
      // A record of the audit log may be about no bond.
      assert.ok(named === peer || (named === "a peer" && path.includes("facts")), place);
      assert.doesNotMatch(data, UNSEEN, place);
      assert.ok(Buffer.byteLength(data) <= cap, place);
      assert.equal(typeof original_bytes === "number", truncated === true, place);
      assert.ok(
        [escaped, truncated].every((flag) => flag === undefined || flag === true),
        place,
      );
    } else if (typeof found === "string") {
      assert.doesNotMatch(found, UNSEEN, place);
      // In the audit log, members are pairs: their place does not tell a thread from the rest.
      const isName = /^(thread|facts\.\d+\.1)$/.test(path.slice(path.at(-3) === "facts" ? -3 : -1).join("."));
      if (!isName || !PLAIN_NAME.test(found)) assert.doesNotMatch(found, MARKER, place);
    }
  }
}

/** The frames in a result whose last named member is `name`. */
export function framesOf(value: unknown, name: string): Frame[] {
  const isNamed = (path: string[]) => path.findLast((key) => !/^\d+$/.test(key)) === name;
  return leaves(value).flatMap(({ path, found }) => (isFrame(found) && isNamed(path) ? [found] : []));
}

/** Whether a frame shows that text, whole or its beginning. */
export function shows(frame: Frame | undefined, text: string): boolean {
  if (!frame) return false;
  const shown = unescaped(frame.data);
  if (!frame.truncated) return shown === text;
  return text.startsWith(shown) && frame.original_bytes === Buffer.byteLength(text);
}

interface Leaf {
  path: string[];
  found: unknown;
}

/** What a JSON value is made of; a frame is one piece. */
function leaves(value: unknown, path: string[] = []): Leaf[] {
  if (typeof value !== "object" || value === null || isFrame(value)) return [{ path, found: value }];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

/** Every line of a peer's text stands behind its mark, and nothing in it can leave it. */
export function assertMarked(text: string): void {
  for (const line of text.split("\n")) {
    assert.doesNotMatch(line, UNSEEN);
    if (MARKER.test(line)) assert.match(line, /^ *peer [|+] /);
  }
}
