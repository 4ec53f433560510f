// What the engine shows its human has words in both languages of the page: found in the engine's own source.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { room as pairings } from "../src/views/join/pairing-words.ts";
import { isAbout, namedIn } from "../src/views/waiting/subject.ts";
import { kinds, room } from "../src/views/waiting/words.ts";

const source = (file: string) => readFileSync(new URL(`../../protocol/src/${file}.rs`, import.meta.url), "utf8");
const found = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, word = ""]) => word))];
const ASKING = ["gates", "opening", "ratifying", "budget", "attention"]
  .map((name) => source(`engine/${name}`))
  .join("\n");

test("every line of a question has a label", () => {
  const labels = found(ASKING, /(?:Shown::own\(|Shown::peer\(|label: |by_either\(\s*)"([^"]+)"/g);
  assert.ok(labels.includes("safety number") && labels.includes("deliverable") && labels.length > 20, String(labels));
  for (const words of [room.en, room.id])
    assert.deepEqual(
      labels.filter((label) => !words.labels[label]),
      [],
    );
});

test("every kind of question, and every duration of a bond, has words", () => {
  const subjects = found(source("gate/mod"), /Self::(\w+) \{[^}]*\} => format!/g).map((name) => name.toLowerCase());
  assert.equal(subjects.length, 6);
  for (const words of [kinds.en, kinds.id]) assert.deepEqual(Object.keys(words).sort(), subjects.toSorted());
  const modes = found(source("bond/record"), /"(bonded_contact|ephemeral_until_session_closes)"/g);
  assert.equal(modes.length, 2);
  for (const words of [room.en, room.id]) assert.deepEqual(Object.keys(words.lasts).sort(), modes.toSorted());
});

test("every step of a pairing, and every end that the engine gives it, has words", () => {
  const steps = found(source("engine/pairing"), /Self::\w+ => "([a-z]+)"/g).filter((step) => step !== "over");
  assert.equal(steps.length, 11);
  const engine = source("engine/pairing") + source("engine/slot");
  // The outcome stands as the third argument of the one, and as the last of the other.
  const ends = [
    ...found(engine, /end_pairing\(step, &?id, "([a-z_]+)"/g),
    ...found(engine, /fail_pairing\([^;]*?"([a-z_]+)",?\s*\)/g),
  ];
  assert.ok(ends.includes("bonded") && ends.includes("pake_failed") && ends.length > 6, String(ends));
  for (const { steps: told, outcomes } of [pairings.en, pairings.id]) {
    assert.deepEqual(
      steps.filter((step) => !told[step]),
      [],
    );
    assert.deepEqual(
      ends.filter((end) => !outcomes[end]),
      [],
    );
  }
});

test("the engine's line about the other side is taken apart, whatever the name is", () => {
  const line = (text: string, from_peer = false) => namedIn({ shown: [{ label: "peer", text, from_peer }] });
  assert.deepEqual(line("Budi, key ending in abcd1234"), { name: "Budi", tail: "abcd1234" });
  const odd = "a, key ending in x\nb";
  assert.deepEqual(line(`${odd}, key ending in abcd1234`), { name: odd, tail: "abcd1234" });
  assert.deepEqual(line("the one who gave you the code, key ending in abcd1234"), {
    name: undefined,
    tail: "abcd1234",
  });
  assert.ok(ASKING.includes('"the one who gave you the code"') && ASKING.includes('"{}, key ending in {}"'));
  assert.deepEqual(line("Budi, key ending in abcd1234", true), { name: undefined, tail: undefined });
});

test("an item is shown where it belongs", () => {
  const join = { subject: { kind: "join", pairing: "p" } } as const;
  const verify = { subject: { kind: "verify", bond: "b" } } as const;
  const ratify = { subject: { kind: "ratify", bond: "b", thread: "t" } } as const;
  const about = (bond?: string, thread?: string) => [join, verify, ratify].map((item) => isAbout(item, bond, thread));
  assert.deepEqual(about(), [true, true, true]);
  assert.deepEqual(about("b"), [false, true, true]);
  assert.deepEqual(about("b", "t"), [false, false, true]);
  assert.deepEqual(about("c"), [false, false, false]);
});
