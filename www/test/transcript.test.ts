// A transcript is checked before anything of it is shown; the one that comes with the page is a real one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inIndonesian } from "../src/views/replay/phrases.ts";
import {
  checkTranscript,
  parseTranscript,
  speakerOf,
  TRANSCRIPT_BYTES,
  TranscriptError,
  type TranscriptFault,
} from "../src/views/replay/transcript.ts";

const TEXT = readFileSync(new URL("../src/views/replay/transcript.json", import.meta.url), "utf8");

/** The real one, changed. */
// biome-ignore lint/suspicious/noExplicitAny: it is made wrong on purpose.
function changed(change: (value: any) => unknown): unknown {
  const value = JSON.parse(TEXT);
  return change(value) ?? value;
}

function refuses(fault: TranscriptFault, work: () => unknown): void {
  assert.throws(work, (error) => error instanceof TranscriptError && error.code === fault, fault);
}

test("the transcript that comes with the page is one", () => {
  const transcript = parseTranscript(TEXT);
  assert.deepEqual(transcript.sides, ["Alice", "Bob"]);
  assert.ok(transcript.lines.length >= 20);
  const { agreement } = JSON.parse(transcript.receipt);
  assert.equal(transcript.agreement, agreement);
});

test("all of it can be told in Indonesian", () => {
  for (const { what, why } of parseTranscript(TEXT).lines) {
    for (const text of [what, why]) assert.ok(inIndonesian(text), text);
  }
  assert.equal(inIndonesian("does something new"), undefined);
});

test("each line belongs to a side, or to neither", () => {
  const transcript = parseTranscript(TEXT);
  const speakers = transcript.lines.map((line) => speakerOf(line, transcript));
  assert.deepEqual(speakers[0], { side: "relay", name: "demo", isHuman: false });
  assert.deepEqual(speakers[2], { side: 0, name: "Alice", isHuman: false });
  assert.deepEqual(speakers[5], { side: 1, name: "Bob", isHuman: true });
});

test("what is not a transcript is refused", () => {
  refuses("not_json", () => parseTranscript("no"));
  for (const value of [null, [], 7, "text", {}, { lines: [] }])
    refuses("not_a_transcript", () => checkTranscript(value));
  const wrong: ((value: ReturnType<typeof JSON.parse>) => unknown)[] = [
    (value) => ({ ...value, more: 1 }),
    (value) => ({ ...value, lines: [] }),
    (value) => ({ ...value, lines: {} }),
    (value) => ({ ...value, safety_number: "1 2 3" }),
    (value) => ({ ...value, agreement: value.agreement.toUpperCase() }),
    (value) => ({ ...value, sha256: [value.sha256] }),
    (value) => ({ ...value, receipt: "text" }),
    (value) => ({ ...value, receipt: null }),
    (value) => void value.lines.reverse(),
    (value) => void Object.assign(value.lines[0], { ms: -1 }),
    (value) => void Object.assign(value.lines[0], { ms: 0.5 }),
    (value) => void Object.assign(value.lines[0], { who: "" }),
    (value) => void Object.assign(value.lines[0], { who: "x".repeat(65) }),
    (value) => void Object.assign(value.lines[0], { what: "x".repeat(1_001) }),
    (value) => void Object.assign(value.lines[0], { what: { toString: "x" } }),
    (value) => void Object.assign(value.lines[0], { more: 1 }),
    (value) => void delete value.lines[0].why,
    (value) => void value.lines.push(null),
  ];
  for (const change of wrong) refuses("not_a_transcript", () => checkTranscript(changed(change)));
});

test("one that is too large or too long is refused", () => {
  refuses("too_large", () => parseTranscript(" ".repeat(TRANSCRIPT_BYTES + 1)));
  const many = changed((value) => ({ ...value, lines: Array(1_001).fill(value.lines[0]) }));
  refuses("too_long", () => checkTranscript(many));
});

test("one of fewer or more than two sides is refused", () => {
  refuses("not_two_sides", () => checkTranscript(changed((value) => void value.lines.splice(1))));
  const third = { ms: 1e9, who: "Carol's human", what: "looks in", why: "" };
  refuses("not_two_sides", () => checkTranscript(changed((value) => void value.lines.push(third))));
});
