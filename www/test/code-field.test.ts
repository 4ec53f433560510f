import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseCode } from "../../npm/dist/node.js";
import {
  completed,
  completions,
  corrected,
  isSameRelay,
  linkIn,
  typoOf,
  wordAt,
} from "../src/views/join/code-field.ts";
import { comparedDigest, comparedNumber } from "../src/views/safety/keys-code.ts";

const LIST = readFileSync(new URL("../../protocol/src/pairing/words.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

test("the first letters of a word are completed from the protocol's list", () => {
  assert.equal(LIST.length, 1_296);
  assert.deepEqual(completions("42-aard", LIST), ["aardvark"]);
  assert.deepEqual(completions("42 Oasis AARD", LIST), ["aardvark"]);
  assert.equal(completions("42-a", LIST).length, 6);
  assert.ok(completions("42-a", LIST).every((word) => word.startsWith("a")));
});

test("nothing is offered where no word is being typed", () => {
  const whole = [
    "",
    "4",
    "42",
    "42-",
    "aard",
    "42-aardvark",
    "42-oasis-",
    "123-456",
    "42-oasis-aardvark-zucchini",
    "https://x/#i=l.a",
  ];
  for (const typed of [...whole, "42-oasis-aardvark-zucchini-a", "42-qqq"])
    assert.deepEqual(completions(typed, LIST), [], typed);
});

test("every word of the list is found by its first three letters, and then parses", () => {
  for (const word of LIST) {
    const offered = completions(`42-oasis-oasis-${word.slice(0, 3)}`, LIST);
    assert.deepEqual(offered, word.length === 3 ? [] : [word], word);
  }
  let typed = "42-oas";
  typed = completed(typed, "oasis");
  assert.equal(typed, "42-oasis-");
  typed = completed(`${typed}aar`, "aardvark");
  typed = completed(`${typed}zuc`, "zucchini");
  assert.equal(typed, "42-oasis-aardvark-zucchini");
  assert.deepEqual(parseCode(typed), { form: "words", name: "w42" });
  assert.equal(completed("４２ Oasis aar", "aardvark"), "42 Oasis aardvark-");
});

test("a typo is told by the package, and put right at its place only", () => {
  for (const [typed, position] of [
    ["42-aardvrak-oasis-zucchni", 1],
    [" 42 oasis  Aardvrak zucchini", 2],
    ["42_oasis_zucchini–aardvrak", 3],
  ] as const) {
    const typo = typoOf(thrownBy(typed));
    assert.deepEqual(typo, { position, nearest: "aardvark" });
    assert.match(wordAt(typed, position), /^aardvrak$/i);
    assert.equal(wordAt(corrected(typed, typo), position), "aardvark");
  }
  const mended = corrected("42_oasis_zucchini–aardvrak", { position: 3, nearest: "aardvark" });
  assert.equal(parseCode(mended).name, "w42");
});

test("a link is found in the message that it came with, whole and without what follows", () => {
  const code = `l${"A".repeat(22)}.${"B".repeat(21)}A`;
  for (const link of [`https://page.example/x#r=https://relay.example&i=${code}`, `agentpair:#i=${code}`]) {
    assert.equal(linkIn(link), link);
    assert.equal(linkIn(`Join me:\n${link}. Thank you #1`), link);
    assert.deepEqual(parseCode(linkIn(`(${link})`)?.replace("(", "") ?? ""), parseCode(link));
  }
  for (const other of [
    "",
    "42-oasis-aardvark-zucchini",
    "https://page.example/#/join",
    `https://x/#i=${code.slice(0, -1)}`,
  ]) {
    assert.equal(linkIn(other), undefined, other);
  }
});

test("what is no code is no typo", () => {
  for (const typed of ["", "42", "oasis-aardvark-zucchini", "123-45"])
    assert.equal(typoOf(thrownBy(typed)), undefined, typed);
  assert.equal(typoOf(new Error("word 2 is not in the list; did you mean oasis?")), undefined);
});

test("relays are compared as addresses, not as texts", () => {
  assert.ok(isSameRelay("https://relay.example", "https://RELAY.example:443/"));
  assert.ok(!isSameRelay("https://relay.example", "http://relay.example"));
  assert.ok(!isSameRelay("https://relay.example", "https://relay.example.evil"));
  assert.ok(!isSameRelay("https://relay.example", "https://relay.example/other"));
  assert.ok(!isSameRelay("nonsense", "nonsense"));
});

test("digests and numbers are compared as a whole", () => {
  const digest = "0123456789abcdef".repeat(4);
  assert.equal(comparedDigest(digest, ` ${digest.toUpperCase()}\n`), "equal");
  assert.equal(comparedDigest(digest, digest.replace(/.$/, "0")), "different");
  for (const other of ["", digest.slice(1), `${digest}0`, "https://page.example/#i=l.a"]) {
    assert.equal(comparedDigest(digest, other), "unreadable", other);
  }
  const number = ["137109", "293580", "682142", "149023", "680629"];
  assert.equal(comparedNumber(number, "137109 293580-682142 149023 680629"), "equal");
  assert.equal(comparedNumber(number, "137109293580682142149023680620"), "different");
  for (const other of ["", "137109", `${number.join("")}1`, "number"])
    assert.equal(comparedNumber(number, other), "unreadable", other);
});

function thrownBy(typed: string): unknown {
  try {
    parseCode(typed);
  } catch (error) {
    return error;
  }
  return assert.fail(`${typed} is a code`);
}
