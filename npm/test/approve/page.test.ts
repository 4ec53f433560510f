import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, test } from "node:test";
import { ApprovalPage } from "../../dist/approve/page-server.js";
import { openTwo, pair } from "../support/hosts.ts";
import { codesIn } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { ask, call, open, own } from "./support/page.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

test("the page shows what waits, and decides it, in the human's name by the page", async (t) => {
  const { alice, bond, page } = await open(t, relay.url);
  const id = await alice.verify(bond.id);
  const { status, body } = await call(page, "/waiting", {});
  assert.equal(status, 200);
  const { items, pin } = JSON.parse(body);
  assert.equal(pin, false);
  assert.deepEqual(
    items.map((item: { id: string; kind: string }) => [item.id, item.kind]),
    [[id, "verify"]],
  );
  const { approve, reject } = codesIn((await alice.pendings())[0]?.place ?? "");
  assert.ok(!body.includes(approve) && !body.includes(reject) && !body.includes("approvals/"), "no code, no path");
  const word = { id, digest: items[0].digest, decision: "approve" };
  const decided = await call(page, "/decide", word);
  assert.deepEqual([decided.status, JSON.parse(decided.body)], [200, { decision: "approve" }]);
  assert.equal((await alice.bond(bond.id)).verification?.how, "page");
  // Once more, as it was sent.
  const again = await call(page, "/decide", word);
  assert.equal(again.status, 409);
  assert.equal(JSON.parse(again.body).error.code, "pending_not_found");
});

test("a rejection is one", async (t) => {
  const { alice, bond, page } = await open(t, relay.url);
  const id = await alice.verify(bond.id);
  const digest = (await alice.pendings())[0]?.digest;
  assert.equal((await call(page, "/decide", { id, digest, decision: "reject", reason: "no" })).status, 200);
  assert.equal((await alice.bond(bond.id)).verification, undefined);
  assert.deepEqual(await alice.pendings(), []);
});

test("only what was shown is decided", async (t) => {
  const { alice, bond, page } = await open(t, relay.url);
  const id = await alice.verify(bond.id);
  const digest = (await alice.pendings())[0]?.digest ?? "";
  const other = digest.replace(/^./, (c) => (c === "0" ? "1" : "0"));
  const cases: [unknown, number][] = [
    [{ id, digest: other, decision: "approve" }, 409],
    [{ id: "no-such-item", digest, decision: "approve" }, 409],
    [{ id, digest, decision: "Approve" }, 400],
    [{ id, digest }, 400],
    [{ id, decision: "approve" }, 400],
    [{ id: [id], digest, decision: "approve" }, 400],
    [{ id, digest, decision: "approve", pin: 12345678 }, 400],
    [null, 400],
    ["approve", 400],
  ];
  for (const [body, status] of cases)
    assert.equal((await call(page, "/decide", body)).status, status, JSON.stringify(body));
  assert.equal((await ask(page, "POST", "/decide", own(page), "{")).status, 400);
  assert.deepEqual(
    (await alice.pendings()).map((item) => item.id),
    [id],
  );
});

test("a PIN is asked for, and a wrong one counts", async (t) => {
  const { alice, bond, page } = await open(t, relay.url);
  await alice.setPin("correct horse");
  const id = await alice.verify(bond.id);
  const { items, pin } = JSON.parse((await call(page, "/waiting", {})).body);
  assert.equal(pin, true);
  const decide = async (pin?: string) => {
    const word = { id, digest: items[0].digest, decision: "approve", ...(pin === undefined ? {} : { pin }) };
    const { status, body } = await call(page, "/decide", word);
    return [status, JSON.parse(body).error?.code];
  };
  assert.deepEqual(await decide(), [409, "pin_required"]);
  assert.deepEqual(await decide("wrong horse"), [409, "invalid_pin"]);
  assert.deepEqual(await decide("correct horse"), [200, undefined]);
});

test("where the codes were lost, new ones are made", async (t) => {
  const { alice, bond, page } = await open(t, relay.url);
  const id = await alice.verify(bond.id);
  const [item] = await alice.pendings();
  rmSync(item?.place ?? "");
  const { status } = await call(page, "/decide", { id, digest: item?.digest, decision: "approve" });
  assert.equal(status, 200);
});

test("it ends by itself when no human is there, and not while one is", async (t) => {
  const two = await pair(...(await openTwo(t, relay.url)));
  const page = await ApprovalPage.start(two.alice, { idleMs: 400 });
  t.after(() => page.close());
  // As a page does that lies open and forgotten.
  const forgotten = (async () => {
    for (;;) await call(page, "/waiting", {});
  })();
  forgotten.catch(() => {});
  const begun = Date.now();
  assert.equal(await page.ended, "idle");
  assert.ok(Date.now() - begun < 5_000);
  await assert.rejects(forgotten);
  const other = await ApprovalPage.start(two.alice, { idleMs: 400 });
  t.after(() => other.close());
  const until = Date.now() + 1_200;
  while (Date.now() < until) assert.equal((await call(other, "/waiting", { active: true })).status, 200);
  await other.close();
  assert.equal(await other.ended, "closed");
});
