// The soak finds what it looks for: each case is a history with one thing wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Direction, Feed } from "../scripts/soak/checker.mjs";

/** Three messages on one thread and one on another, all of them delivered. */
function history() {
  const direction = new Direction({ name: "alice" }, { name: "bob" });
  const bodies = ["one", "one", "one", "two"].map((thread) => direction.next(thread));
  const messages = bodies.map((body, n) => ({ at: 10 * n, thread: body.split(" ")[1], body }));
  const deliveries = bodies.flatMap((body, n) => {
    direction.stored(body, `m${n}`);
    return ["relayed", "delivered"].map((state) => ({ at: 10 * n + 5, mid: `m${n}`, state }));
  });
  return { direction, bodies, messages, deliveries };
}

const violations = ({ direction, messages, deliveries }) => direction.check({ deliveries }, { messages });

test("a history without fault is one", () => {
  const past = history();
  assert.deepEqual(violations(past), []);
  assert.deepEqual(past.direction.missing(past), []);
  assert.equal(past.direction.delivered(past), 4);
  // What is still on its way is no fault yet.
  past.messages.splice(2, 1);
  past.deliveries.splice(4, 2);
  assert.deepEqual(violations(past), []);
  assert.deepEqual(past.direction.missing(past), ["alice one 3"]);
});

test("what may never have been stored may be missing, but not come twice", () => {
  const past = history();
  past.direction.mayBeLost("alice one 2");
  const [second] = past.messages.splice(1, 1);
  past.deliveries.splice(2, 2);
  assert.deepEqual(violations(past), []);
  assert.deepEqual(past.direction.missing(past), []);
  past.messages.unshift(second);
  assert.notDeepEqual(violations(past), []);
});

for (const [name, spoil] of [
  ["a message twice", ({ messages }) => messages.push(messages[2])],
  ["two in the wrong order", ({ messages }) => messages.splice(0, 2, messages[1], messages[0])],
  ["one passed over", ({ messages, deliveries }) => [messages.splice(1, 1), deliveries.splice(2, 2)]],
  ["one that nobody sent", ({ messages }) => messages.push({ at: 99, thread: "one", body: "alice one 9" })],
  ["one on another thread", ({ messages }) => Object.assign(messages[3], { thread: "one" })],
  ["delivered, and not there", ({ messages }) => messages.pop()],
  ["delivered before it was there", ({ deliveries }) => Object.assign(deliveries[7], { at: 29 })],
  ["delivered twice", ({ deliveries }) => deliveries.push(deliveries[1])],
  ["relayed after it was delivered", ({ deliveries }) => deliveries.reverse()],
  ["expired", ({ deliveries }) => Object.assign(deliveries[1], { state: "expired" })],
  ["refused", ({ deliveries }) => Object.assign(deliveries[1], { state: "refused" })],
]) {
  test(`the soak sees ${name}`, () => {
    const past = history();
    spoil(past);
    assert.notDeepEqual(violations(past), []);
  });
}

test("the soak sees a hole in a feed, and an envelope that was refused", async () => {
  const items = [1, 2, 4, 5].map((n) => ({ n, at: 0, event: { event: n === 5 ? "refused" : "thread_closed" } }));
  const feed = new Feed({ name: "bob", call: async () => items });
  assert.equal((await feed.read()).violations.length, 2);
});
