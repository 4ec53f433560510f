// A person with the page and another one whose agent runs in Node: from an invite to a receipt, both ways round, with a
// reload of the page in the middle of every step.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { printable, verifyReceipt } from "../../npm/dist/node.js";
import { longestTask } from "../../npm/test/browser/support/long-tasks.ts";
import { CONTENTS } from "../../npm/test/mcp/e2e/support/contents.ts";
import { received } from "../../npm/test/support/hosts.ts";
import { NodeSide, PRICE } from "./support/node-side.ts";
import { type Person, Stage } from "./support/stage.ts";
import * as way from "./support/way.ts";

const stage = await Stage.start({ after });
const reload = (who: Person) => who.page.reload();

/** The receipts of both sides: the same, and good. */
async function assertSameReceipt(alice: Person, bob: NodeSide, goal: string, text: string): Promise<void> {
  const { thread } = await bob.session(goal, ({ hasReceipt }) => hasReceipt);
  const [ours, theirs] = [await way.receiptOf(alice), await bob.host.receipt(bob.bond, thread)];
  assert.equal(ours, theirs);
  assert.equal(verifyReceipt(ours).terms.goal, goal);
  assert.equal(JSON.parse(ours).deliverable.text, text);
}

test("the page invites by link, and a Node host joins: from the invite to the receipt", async (t) => {
  const [alice, bob] = [await stage.person(t), await NodeSide.start(t, stage.relay.url, "Bob")];
  const link = await way.invite(alice, "Bob", reload);
  await bob.join(link, "alice");
  await alice.heading("Bob");
  const number = bob.compare();
  assert.equal(await way.compare(alice, reload), await number);

  await way.send(alice, "Shall we fix the price?");
  await reload(alice);
  assert.deepEqual(await received(bob.host, 1), ["Shall we fix the price?"]);
  await alice.reads(/ · delivered$/);
  await bob.host.send(bob.bond, "Yes, let us.");
  await alice.reads("Yes, let us.");
  await reload(alice);
  await alice.reads("Yes, let us.");

  const goal = "The price of one hour of work";
  await way.offer(alice, goal, reload);
  await bob.decide("open", "approve");
  await way.putForward(alice, "One hour costs 110 EUR.\n", reload);
  const { thread } = await bob.session(goal, ({ yourTurn, turns }) => yourTurn && turns === 1);
  const { sha256 } = await bob.host.turn(bob.bond, thread, "counter", "Rather this, as data.", PRICE);
  await alice.reads("Rather this, as data.");
  await reload(alice);
  // Laid out for reading, and exactly as it is signed.
  await alice.reads(/^\{\n {2}"per_hour": \{\n {4}"amount": "120\.00",/);
  const exact = alice.page.locator(".proposal details .exact");
  assert.equal(await exact.textContent(), PRICE.text);
  await way.accept(alice);
  await reload(alice);
  await bob.session(goal, ({ signedByPeer }) => signedByPeer === sha256);
  await bob.host.sign(bob.bond, thread, sha256);
  await way.ratify(alice, reload);
  await bob.decide("ratify", "approve");
  await way.agreed(alice, reload);
  await assertSameReceipt(alice, bob, goal, PRICE.text);
  assert.deepEqual(alice.complaints, []);
});

test("a Node host invites by words, which are typed with a slip; it proposes, and revokes in the end", async (t) => {
  const [alice, bob] = [await stage.person(t), await NodeSide.start(t, stage.relay.url, "Bob")];
  const { code, pairing } = await bob.invite("alice");
  await way.joinByWords(alice, code, "Bob", reload);
  await bob.bonded(pairing);
  await alice.heading("Bob");
  await reload(alice);
  await alice.heading("Bob");

  const goal = "The price, as data";
  const thread = await bob.open(goal);
  await way.letBegin(alice, goal, reload);
  await bob.session(goal, ({ status }) => status === "live");
  await bob.host.turn(bob.bond, thread, "propose", "A fair price.", PRICE);
  await alice.reads("A fair price.");
  const text = PRICE.text.replace("120.00", "125.00");
  await way.putForward(alice, text, reload);
  const { yourTurn } = await bob.session(goal, ({ turns }) => turns === 2);
  assert.ok(yourTurn);
  const [, counter] = await bob.host.turns(bob.bond, thread);
  assert.deepEqual([counter?.deliverable?.kind, counter?.deliverable?.name], ["json", "price.json"]);
  const sha256 = counter?.deliverable?.sha256 ?? "";
  await bob.host.accept(bob.bond, thread, sha256, "Agreed.");
  await bob.host.sign(bob.bond, thread, sha256);
  await alice.page.getByRole("button", { name: "Sign this text" }).waitFor();
  await reload(alice);
  await alice.press("Sign this text");
  await bob.decide("ratify", "approve");
  await way.ratify(alice, reload);
  await way.agreed(alice, reload);
  await assertSameReceipt(alice, bob, goal, text);

  await bob.host.revoke(bob.bond, "We are <b>done</b>.");
  await alice.follow(/Back to Bob/);
  await alice.reads("Bob revoked it. Nothing goes through any more.");
  await reload(alice);
  await alice.reads("Bob revoked it. Nothing goes through any more.");
  await alice.reads("We are <b>done</b>.");
  assert.equal(await alice.page.getByRole("button", { name: "Send", exact: true }).count(), 0);
  assert.deepEqual(alice.complaints, []);
});

test("a bond by digits is held until both sides have compared", async (t) => {
  const [alice, bob] = [await stage.person(t), await NodeSide.start(t, stage.relay.url, "Bob")];
  await bob.join(await way.invite(alice, "Bob", reload, "digits"), "alice");
  await alice.reads(/^Held until you and Bob have compared the safety number/);
  await reload(alice);
  await alice.reads(/^Held until you and Bob have compared the safety number/);
  await assert.rejects(bob.host.send(bob.bond, "Too early."), { code: "bond_held" });
  assert.equal(await alice.page.getByRole("button", { name: "Send", exact: true }).count(), 0);
  const ours = await way.compare(alice, reload);
  await alice.page.getByRole("button", { name: "Send", exact: true }).first().waitFor();
  await reload(alice);
  await way.send(alice, "May I?");
  // The other side has not compared: it takes nothing until then.
  await assert.rejects(bob.host.send(bob.bond, "Too early."), { code: "bond_held" });
  assert.deepEqual(
    (await bob.host.feed()).filter(({ event }) => event.event === "message"),
    [],
  );
  assert.equal(await bob.compare(), ours);
  await bob.host.send(bob.bond, "Now it works.");
  await alice.reads("Now it works.");
  await reload(alice);
  await alice.reads("Now it works.");
  assert.deepEqual(alice.complaints, []);
});

test("a Node host says no: each time, the page tells it in words", async (t) => {
  const { alice, bob } = await bonded(t);
  const home = alice.page.url();
  const back = () => alice.page.goto(home);

  await way.offer(alice, "A thing that nobody wants", reload);
  await bob.decide("open", "reject", "Not <i>now</i>\u202e.");
  await alice.heading("Why it ended");
  await reload(alice);
  await alice.reads("The one who was asked did not want to negotiate about this.");
  await alice.reads("Not <i>now</i>\\u{202e}.");

  await back();
  const goal = "A thing that is signed, and then not ratified";
  await way.offer(alice, goal, reload);
  await bob.decide("open", "approve");
  await way.putForward(alice, "110 EUR\n", reload);
  const { thread } = await bob.session(goal, ({ turns }) => turns === 1);
  const [first] = await bob.host.turns(bob.bond, thread);
  const sha256 = first?.deliverable?.sha256 ?? "";
  await bob.host.accept(bob.bond, thread, sha256, "Agreed.");
  await bob.host.sign(bob.bond, thread, sha256);
  await alice.press("Sign this text");
  await way.ratify(alice, reload);
  await bob.decide("ratify", "reject");
  await alice.heading("Why it ended");
  await reload(alice);
  await alice.reads("One side did not ratify the text.");
  assert.equal(await alice.page.getByRole("button", { name: "Download the receipt" }).count(), 0);

  await back();
  const { thread: talk } = await bob.host.send(bob.bond, "One word.");
  await alice.reads("One word.");
  await bob.host.closeThread(bob.bond, talk, "No more <u>words</u>.");
  await alice.reads("Bob closed this conversation.");
  await reload(alice);
  await alice.reads("No more <u>words</u>.");
  await alice.reads("This conversation is closed.");
  assert.deepEqual(alice.complaints, []);
});

test("whatever a Node host writes is text on the page, and the page stays quick", async (t) => {
  const { alice, bob } = await bonded(t);
  const html = `<img src="https://evil.example/a.png" onerror="document.title='owned'"><script>document.title="owned"</script><style>*{display:none}</style>`;
  const texts = {
    large: `begin ${"0123456789abcde ".repeat(12_800)}end`,
    hostile: [html, "javascript:alert(1)", ...CONTENTS.map(({ text }) => text)].join("\n"),
    lines: Array.from({ length: 10_000 }, (_, n) => `line ${n}`).join("\n"),
    short: "a\n".repeat(300_000),
    heavy: "a\u0301\u0338\u20dd".repeat(75_000),
  };
  assert.ok(texts.large.length > 200_000);
  const title = await alice.page.title();
  const longest: { [name: string]: number } = {};
  let thread: string | undefined;
  for (const [n, [name, text]] of Object.entries(texts).entries()) {
    const shown = alice.page.locator(".entries .exact").nth(n);
    longest[name] = await longestTask(alice.page, async () => {
      const sent = await bob.host.send(bob.bond, text, thread === undefined ? {} : { thread });
      thread = sent.thread;
      await shown.waitFor();
      // The next frame is drawn: the text has its place.
      await alice.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    });
    assert.equal(await shown.textContent(), printable(text), name);
    assert.doesNotMatch((await shown.textContent()) ?? "", /[^\P{C}\n]/u);
    assert.equal(await shown.locator(":not(.exact-block)").count(), 0);
  }
  await reload(alice);
  await alice.page.locator(".entries .exact").nth(4).waitFor();
  // The other way: as long, and as strange.
  await way.send(alice, "Well.");
  const field = alice.page.getByLabel("Your message");
  for (const [n, text] of [texts.large, texts.hostile].entries()) {
    await field.fill(text);
    await alice.press("Send");
    await received(bob.host, n + 2);
  }
  const bodies = await received(bob.host, 3);
  // A field of a browser has line feeds only.
  assert.deepEqual(bodies, ["Well.", texts.large, texts.hostile.replaceAll(/\r\n?/g, "\n")]);
  assert.equal(await alice.page.title(), title);
  assert.deepEqual(
    alice.requests.filter((url) => url.includes("evil.example")),
    [],
  );
  assert.deepEqual(alice.complaints, []);
  t.diagnostic(`longest tasks of the page, in ms: ${JSON.stringify(longest)}`);
  for (const [name, ms] of Object.entries(longest)) assert.ok(ms < HANG_MS, `${name}: ${ms} ms`);
});

/** What a person would call a hang, in milliseconds of the processor. */
const HANG_MS = 500;

/** A page and a Node host with a bond. */
async function bonded(t: Parameters<typeof NodeSide.start>[0]): Promise<{ alice: Person; bob: NodeSide }> {
  const [alice, bob] = [await stage.person(t), await NodeSide.start(t, stage.relay.url, "Bob")];
  await bob.join(await way.invite(alice, "Bob", async () => {}), "alice");
  await alice.heading("Bob");
  return { alice, bob };
}
