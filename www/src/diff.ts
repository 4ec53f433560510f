// What changed between two texts: by lines, and by words within lines that resemble each other. Bounded: whatever the
// texts are, it takes a moment at most, and where they differ too much everything counts as changed.

/** A part of a line, and whether the other text has it not. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

/** A line of either text. */
export interface Row {
  op: "same" | "gone" | "new";
  pieces: Piece[];
}

/** Rows, or how many that are the same are left out. */
export type Folded = Row | { op: "skip"; count: number };

/** More changes than that are not told apart. */
const MOST_CHANGES = 800;
/** Longer texts are not compared line by line, nor longer lines word by word. */
const MOST_LINES = 20_000;
const MOST_WORDS = 2_000;
/** Unchanged lines that are shown around a change. */
const AROUND = 2;

/** The lines of both texts, in order, and what happened to them. */
export function differences(before: string, after: string): Row[] {
  const rows: Row[] = [];
  let gone: string[] = [];
  let fresh: string[] = [];
  const flush = () => {
    rows.push(...replaced(gone, fresh));
    gone = [];
    fresh = [];
  };
  for (const { op, text } of compare(before.split("\n"), after.split("\n"), MOST_LINES)) {
    if (op === "gone") gone.push(text);
    else if (op === "new") fresh.push(text);
    else {
      flush();
      rows.push({ op, pieces: [{ text, isChanged: false }] });
    }
  }
  flush();
  return rows;
}

/** The same rows without long stretches in which nothing changed. */
export function folded(rows: readonly Row[]): Folded[] {
  const isNear = new Set<number>();
  rows.forEach(({ op }, i) => {
    if (op !== "same") for (let near = i - AROUND; near <= i + AROUND; near++) isNear.add(near);
  });
  const shown: Folded[] = [];
  rows.forEach((row, i) => {
    const last = shown.at(-1);
    if (isNear.has(i)) shown.push(row);
    else if (last?.op === "skip") last.count += 1;
    else shown.push({ op: "skip", count: 1 });
  });
  return shown;
}

/** Lines that took the place of others: those that resemble each other word by word. */
function replaced(gone: readonly string[], fresh: readonly string[]): Row[] {
  const was: Row[] = [];
  const is: Row[] = [];
  for (let i = 0; i < Math.max(gone.length, fresh.length); i++) {
    const [old, now] = [gone[i], fresh[i]];
    const both = old === undefined || now === undefined ? undefined : wordByWord(old, now);
    if (old !== undefined) was.push({ op: "gone", pieces: both?.[0] ?? [{ text: old, isChanged: true }] });
    if (now !== undefined) is.push({ op: "new", pieces: both?.[1] ?? [{ text: now, isChanged: true }] });
  }
  return [...was, ...is];
}

function wordByWord(old: string, now: string): [Piece[], Piece[]] | undefined {
  const was: Piece[] = [];
  const is: Piece[] = [];
  let kept = 0;
  for (const { op, text } of compare(wordsOf(old), wordsOf(now), MOST_WORDS)) {
    if (op !== "new") add(was, text, op === "gone");
    if (op !== "gone") add(is, text, op === "new");
    if (op === "same") kept += text.trim().length;
  }
  // Lines that have little in common are easier to read one after the other.
  return kept * 3 < Math.min(old.length, now.length) ? undefined : [was, is];
}

function add(pieces: Piece[], text: string, isChanged: boolean): void {
  const last = pieces.at(-1);
  if (last && last.isChanged === isChanged) last.text += text;
  else pieces.push({ text, isChanged });
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}\p{M}]+|\s+|[\s\S]/gu) ?? [];
}

interface Step {
  op: Row["op"];
  text: string;
}

/** The shortest way from one list to the other, by Myers, if it is short enough; else all of one, then all of the other. */
function compare(a: readonly string[], b: readonly string[], most: number): Step[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const same = (text: string): Step => ({ op: "same", text });
  const [restA, restB] = [a.slice(start, endA), b.slice(start, endB)];
  const isTooLong = Math.max(restA.length, restB.length) > most;
  const middle = (isTooLong ? undefined : shortest(restA, restB)) ?? [
    ...restA.map((text): Step => ({ op: "gone", text })),
    ...restB.map((text): Step => ({ op: "new", text })),
  ];
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(endA).map(same)];
}

function shortest(a: readonly string[], b: readonly string[]): Step[] | undefined {
  // furthest.get(k): how far in `a` one gets on the diagonal k with that many changes; one copy for each number of them.
  const trace: Map<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  for (let changes = 0; changes <= Math.min(a.length + b.length, MOST_CHANGES); changes++) {
    trace.push(furthest);
    const next = new Map<number, number>();
    for (let k = -changes; k <= changes; k += 2) {
      let x = startOf(furthest, k, changes).x;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, trace);
    }
    furthest = next;
  }
  return undefined;
}

/** Where the way on a diagonal comes from, and begins. */
function startOf(furthest: Map<number, number>, k: number, changes: number): { from: number; x: number } {
  const [left, right] = [furthest.get(k - 1) ?? -1, furthest.get(k + 1) ?? -1];
  const isDown = k === -changes || (k !== changes && left < right);
  return isDown ? { from: k + 1, x: right } : { from: k - 1, x: left + 1 };
}

function walkBack(a: readonly string[], b: readonly string[], trace: readonly Map<number, number>[]): Step[] {
  const steps: Step[] = [];
  let [x, y] = [a.length, b.length];
  for (let changes = trace.length - 1; changes >= 0; changes--) {
    const furthest = trace[changes] ?? new Map<number, number>();
    const { from } = startOf(furthest, x - y, changes);
    const fromX = changes === 0 ? 0 : (furthest.get(from) ?? 0);
    const fromY = changes === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x--;
      y--;
      steps.push({ op: "same", text: a[x] ?? "" });
    }
    if (changes === 0) break;
    if (x === fromX) steps.push({ op: "new", text: b[--y] ?? "" });
    else steps.push({ op: "gone", text: a[--x] ?? "" });
  }
  return steps.reverse();
}
