import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionView, TurnView } from "agentpair";
import { faults, termsOf, usualDeadline } from "../src/views/propose/terms.ts";
import { jsonLines } from "../src/views/session/json-lines.ts";
import { acceptedBy, signable, standing } from "../src/views/session/standing.ts";

const view = (more: Partial<SessionView> = {}) =>
  ({ status: "live", openedBy: "me", turns: 1, turnsRemaining: 5, yourTurn: false, ...more }) as SessionView;
const put = (n: number, by: "me" | "peer", sha256: string) =>
  ({ n, by, msgType: n === 1 ? "propose" : "counter", body: "", deliverable: { sha256 } }) as TurnView;
const accept = (n: number, by: "me" | "peer", sha256: string) =>
  ({
    n,
    by,
    msgType: "accept",
    body: JSON.stringify({ section_id: "s", artifact_hash: sha256, note: "ok" }),
  }) as TurnView;

test("what the other side put forward last can be signed", () => {
  const turns = [put(1, "me", "a"), put(2, "peer", "b")];
  assert.equal(standing(view({ yourTurn: true }), turns), "your_turn");
  assert.deepEqual(signable(view(), turns), { now: "b", earlier: undefined });
});

test("an own text can be signed once the other side accepted or signed it, not before", () => {
  assert.deepEqual(signable(view(), [put(1, "me", "a")]), { now: undefined, earlier: undefined });
  const turns = [put(1, "me", "a"), accept(2, "peer", "a")];
  assert.equal(standing(view(), turns), "they_accepted");
  assert.equal(signable(view(), turns).now, "a");
  const signed = view({ signedByPeer: "a" });
  assert.equal(standing(signed, [put(1, "me", "a")]), "they_signed");
  assert.equal(signable(signed, [put(1, "me", "a")]).now, "a");
});

test("a signature under an earlier text does not pass for one under the text on the table", () => {
  const turns = [put(1, "peer", "a"), put(2, "me", "b")];
  const signed = view({ signedByPeer: "a" });
  assert.equal(standing(signed, turns), "their_turn");
  assert.deepEqual(signable(signed, turns), { now: undefined, earlier: "a" });
  const after = [...turns, accept(3, "peer", "b")];
  assert.equal(standing(signed, after), "they_accepted");
  assert.deepEqual(signable(signed, after), { now: "b", earlier: "a" });
});

test("what was signed here is not offered again, and an own acceptance without a signature is", () => {
  const turns = [put(1, "peer", "a"), accept(2, "me", "a")];
  assert.equal(standing(view(), turns), "you_accepted");
  assert.equal(signable(view(), turns).now, "a");
  assert.equal(standing(view({ signedByMe: "a" }), turns), "you_signed");
  assert.deepEqual(signable(view({ signedByMe: "a" }), turns), { now: undefined, earlier: undefined });
});

test("a hash of no text of this negotiation cannot be signed, whoever names it", () => {
  const turns = [put(1, "me", "a"), accept(2, "peer", "x")];
  assert.deepEqual(signable(view({ signedByPeer: "y" }), turns), { now: undefined, earlier: undefined });
});

test("words to an acceptance are read out of it; whatever else is in it is shown as it came", () => {
  assert.deepEqual(acceptedBy(accept(2, "peer", "a")), { sha256: "a", note: "ok" });
  const odd = { ...accept(2, "peer", "a"), body: '{"artifact_hash":"a","note":"ok","hidden":"more"}' };
  assert.deepEqual(acceptedBy(odd), { sha256: "a", note: odd.body });
  assert.deepEqual(acceptedBy({ ...odd, body: "yes" }), { note: "yes" });
  assert.deepEqual(acceptedBy({ ...odd, body: "null" }), { note: "null" });
});

test("JSON is laid out without a change of any token", () => {
  const text = '{"a" :12345678901234567890.10,"a":[1, {"b":"x\\" , {y"}],"c":[],"d":{},"e":null}';
  assert.equal(
    jsonLines(text),
    '{\n  "a": 12345678901234567890.10,\n  "a": [\n    1,\n    {\n      "b": "x\\" , {y"\n    }\n  ],\n  "c": [],\n  "d": {},\n  "e": null\n}',
  );
  assert.equal(jsonLines("{"), undefined);
});

test("terms: empty conditions are left out, the deadline is told in UTC", () => {
  const deadline = "2027-01-31T12:00";
  const terms = termsOf({ goal: " Price ", criteria: ["One number", " ", "From May"], deadline, turns: 4 });
  assert.equal(terms.goal, "Price");
  assert.deepEqual(terms.acceptance, [
    { id: "1", test: "judgment", desc: "One number" },
    { id: "2", test: "judgment", desc: "From May" },
  ]);
  assert.equal(terms.budget.deadline, new Date(2027, 0, 31, 12).toISOString());
  assert.match(terms.budget.deadline, /Z$/);
});

test("what is wrong with terms is told by field", () => {
  const now = Date.UTC(2027, 0, 1);
  const good = { goal: "Price", criteria: [], deadline: usualDeadline(now), turns: 20 };
  assert.deepEqual(faults(good, now), {});
  assert.deepEqual(faults({ ...good, goal: " ", deadline: "", turns: 0.5 }, now), {
    goal: true,
    deadline: true,
    turns: true,
  });
  assert.deepEqual(faults({ ...good, deadline: "2026-12-31T00:00" }, now), { deadline: true });
});
