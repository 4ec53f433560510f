// docs/weaknesses.md says what closes each weakness: it has every row, and every test that it names is there.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../../..");
const PAGE = join(ROOT, "docs/weaknesses.md");
const COUNT = 67;

/** Where tests are. */
const PLACES = ["npm/test", "protocol/tests", "simulation"];
/** A test named after a weakness, in TypeScript and in Rust. */
const TITLES = [/\b(?:test|it)\(\s*["'`](W\d\d_\w+)/g, /\bfn (w\d\d_\w+)/g];

/** Each named test, as `file name`. */
function namedTests(): string[] {
  const found: string[] = [];
  for (const place of PLACES) {
    if (!existsSync(join(ROOT, place))) continue;
    for (const entry of readdirSync(join(ROOT, place), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (!entry.isFile() || file.includes("/target/") || !/\.(ts|mjs|rs)$/.test(entry.name)) continue;
      const text = readFileSync(file, "utf8");
      for (const title of TITLES) {
        for (const [, name] of text.matchAll(title)) found.push(`${relative(ROOT, file)} ${name}`);
      }
    }
  }
  return found;
}

/** The cells of each row. */
const ROWS = readFileSync(PAGE, "utf8")
  .split("\n")
  .filter((line) => /^\| W\d/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** Each test of the table, as `file name`, with its row. */
const LINKED = ROWS.flatMap(([, row = "", , , tests = ""]) =>
  [...tests.matchAll(/\[`([^`]+)`\]\(([^)]+)\)/g)].map(([, name, link = ""]) => {
    return { row, name, key: `${relative(ROOT, resolve(PAGE, "..", link))} ${name}` };
  }),
);

test("the table has one row for each weakness, in order, with something in every cell", () => {
  const numbers = Array.from({ length: COUNT }, (_, n) => `W${String(n + 1).padStart(2, "0")}`);
  assert.deepEqual(
    ROWS.map(([, number]) => number),
    numbers,
  );
  for (const row of ROWS) {
    assert.equal(row.length, 6, row.join("|"));
    for (const cell of row.slice(1, 5)) assert.notEqual(cell, "", row.join("|"));
  }
});

test("a row links its tests, each named after it, or says why there is none", () => {
  for (const { row, name } of LINKED) assert.equal(name?.slice(0, 4).toUpperCase(), `${row}_`, `${row}: ${name}`);
  for (const [, number, , , tests = ""] of ROWS) {
    const isLinked = LINKED.some(({ row }) => row === number);
    assert.ok(isLinked || tests.length > 20, `${number} has no test, and no reason`);
    // Whatever looks like a name is one that is looked for.
    const names = tests.match(/W\d\d_\w+/gi) ?? [];
    assert.equal(names.length, LINKED.filter(({ row }) => row === number).length, `${number}: ${tests}`);
  }
});

test("the tests of the table and the tests named after a weakness are the same", () => {
  const linked = LINKED.map(({ key }) => key).sort();
  assert.deepEqual(linked, [...new Set(linked)], "twice in the table");
  assert.deepEqual(linked, namedTests().sort());
});
