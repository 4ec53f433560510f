// From an invite to a receipt, by people in front of the page, with a reload in the middle of every step.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { verifyReceipt } from "../../npm/dist/node.js";
import { type Person, Stage } from "./support/stage.ts";
import { agree, compare, invite, join, open, propose, receiptOf, write } from "./support/way.ts";

const stage = await Stage.start({ after });
const GOAL = "The price of one hour of work";
const FIRST = "One hour costs 110 EUR.\nFrom January 2027 on.\n";
const SECOND = "One hour costs 120 EUR.\nFrom January 2027 on, for a year.\n";

const WAYS = {
  "without interruption": async () => {},
  "with a reload in the middle of every step": (who: Person) => who.page.reload(),
};

for (const [name, between] of Object.entries(WAYS)) {
  test(`two people with a browser each agree: ${name}`, async (t) => {
    const [alice, bob] = [await stage.person(t), await stage.person(t)];
    const link = await invite(alice, "Bob", between);
    await join(bob, link, "Alice", between);
    await Promise.all([alice.heading("Bob"), bob.heading("Alice")]);
    const numbers = [await compare(alice, between), await compare(bob, between)];
    assert.equal(numbers[0], numbers[1]);
    await write(alice, bob, "Shall we fix the price?", between);
    await write(bob, alice, "Yes, let us.", between);
    await open(alice, bob, GOAL, between);
    await propose(alice, bob, FIRST, between);
    await propose(bob, alice, SECOND, between);
    await agree(alice, bob, between);
    const receipts = [await receiptOf(alice), await receiptOf(bob)];
    assert.equal(receipts[0], receipts[1]);
    const { terms } = verifyReceipt(receipts[0] ?? "");
    assert.equal(terms.goal, GOAL);
    assert.ok(receipts[0]?.includes("120 EUR"));
    assert.deepEqual([alice.complaints, bob.complaints], [[], []]);
  });
}
