import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, folded, type Row } from "../src/diff.ts";

const lines = (rows: readonly Row[], without: Row["op"]) =>
  rows.filter(({ op }) => op !== without).map(({ pieces }) => pieces.map(({ text }) => text).join(""));
const before = (rows: readonly Row[]) => lines(rows, "new").join("\n");
const after = (rows: readonly Row[]) => lines(rows, "gone").join("\n");

test("nothing changed", () => {
  assert.deepEqual(
    differences("a\nb", "a\nb").map(({ op }) => op),
    ["same", "same"],
  );
});

test("a changed word is told within its line", () => {
  const rows = differences("Price: 120 EUR an hour\nFrom May on\n", "Price: 110 EUR an hour\nFrom May on\n");
  assert.deepEqual(rows.slice(0, 2), [
    {
      op: "gone",
      pieces: [
        { text: "Price: ", isChanged: false },
        { text: "120", isChanged: true },
        { text: " EUR an hour", isChanged: false },
      ],
    },
    {
      op: "new",
      pieces: [
        { text: "Price: ", isChanged: false },
        { text: "110", isChanged: true },
        { text: " EUR an hour", isChanged: false },
      ],
    },
  ]);
  assert.deepEqual(
    rows.slice(2).map(({ op }) => op),
    ["same", "same"],
  );
});

test("lines without anything in common are not mixed", () => {
  const rows = differences("The whole of it", "Nobody knows");
  assert.deepEqual(rows, [
    { op: "gone", pieces: [{ text: "The whole of it", isChanged: true }] },
    { op: "new", pieces: [{ text: "Nobody knows", isChanged: true }] },
  ]);
});

test("a line feed at the end is a difference", () => {
  assert.deepEqual(
    differences("a", "a\n").map(({ op }) => op),
    ["same", "new"],
  );
});

test("lines put in and taken out, the fewest possible", () => {
  const rows = differences("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc");
  assert.equal(before(rows), "a\nb\nc\na\nb\nb\na");
  assert.equal(after(rows), "c\nb\na\nb\na\nc");
  // The example of Myers: five changes.
  assert.equal(rows.filter(({ op }) => op !== "same").length, 5);
});

test("both texts can be read out of the differences, whatever they are", () => {
  // A fixed sequence of numbers, so that a failure comes back.
  let state = 7;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const text = () =>
    Array.from({ length: next(12) }, () => ["x y", "x z", "", "long line of words", "\u202e", "é"][next(6)]).join("\n");
  for (let round = 0; round < 2_000; round++) {
    const [a, b] = [text(), text()];
    const rows = differences(a, b);
    assert.equal(before(rows), a);
    assert.equal(after(rows), b);
  }
});

test("large texts that differ throughout take a moment, and lose nothing", () => {
  const text = (word: string) => Array.from({ length: 60_000 }, (_, i) => `${word} ${i * 7_919}`).join("\n");
  const started = performance.now();
  const rows = differences(text("one"), text("two"));
  assert.ok(performance.now() - started < 5_000);
  assert.equal(after(rows), text("two"));
  const words = (from: number) => Array.from({ length: 1_900 }, (_, i) => `w${(i * 31 + from) % 1_900}`).join(" ");
  const line = differences(words(0), words(900));
  assert.equal(after(line), words(900));
  assert.ok(performance.now() - started < 10_000);
});

test("long stretches without a change are left out, and counted", () => {
  const many = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  const shown = folded(differences(many.join("\n"), many.with(15, "another").join("\n")));
  assert.deepEqual(
    shown.map((row) => (row.op === "skip" ? row.count : row.op)),
    [13, "same", "same", "gone", "new", "same", "same", 12],
  );
});
