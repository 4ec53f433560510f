// A person with the page and another one at the command line: from an invite to a receipt, with a reload of the page in
// the middle of every step.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { verifyReceipt } from "../../npm/dist/node.js";
import { Owner } from "../../npm/test/cli/support/run.ts";
import { type Person, Stage } from "./support/stage.ts";
import * as way from "./support/way.ts";

const stage = await Stage.start({ after });
const reload = (who: Person) => who.page.reload();

test("the page invites by link, and the command line joins and proposes: from the invite to the receipt", async (t) => {
  const [alice, bob] = [await stage.person(t), new Owner(t, stage.relay.url)];
  const link = await way.invite(alice, "Bob", reload);
  const joining = bob.start(["join", "--petname", "alice"], { input: `${link}\n` });
  await bob.decide("join");
  assert.equal((await joining.end()).code, 0);
  await alice.heading("Bob");
  const compared = way.compare(alice, reload);
  const [{ number }] = await bob.json(["safety", "alice"]);
  assert.equal(await compared, number.join(" "));

  // As beside an MCP server: whoever runs it is reachable.
  const watching = bob.start(["inbox", "--follow"]);
  const goal = "The price of one week";
  const { stdout } = await bob.run(["session", "open", "alice", "--goal", goal, "--criterion", "price: one number"]);
  const thread = stdout.trim();
  await way.letBegin(alice, goal, reload);
  await until(bob, thread, "live");
  const [text, file] = ["4000 EUR a week, <b>äöü</b>\n", join(bob.home, "price.txt")];
  writeFileSync(file, text);
  const [{ artifact_hash: hash }] = await bob.json(["session", "propose", thread, "A fair price.", "--file", file]);
  await alice.reads("A fair price.");
  await reload(alice);
  await alice.reads("4000 EUR a week, <b>äöü</b>");
  await way.accept(alice);
  await reload(alice);
  await until(bob, thread, "live", ({ signed_by_peer }) => signed_by_peer === hash);
  await bob.run(["session", "sign", thread, hash]);
  await way.ratify(alice, reload);
  await bob.decide("ratify");
  await way.agreed(alice, reload);
  await until(bob, thread, "agreed", ({ has_receipt }) => has_receipt === true);
  const [written] = await bob.json(["receipt", thread]);
  const receipt = await way.receiptOf(alice);
  // As a file for terminals, it ends with a line feed.
  assert.equal(`${receipt}\n`, readFileSync(join(bob.home, written.file), "utf8"));
  assert.equal(verifyReceipt(receipt).terms.goal, goal);
  await watching.kill();
  assert.deepEqual(alice.complaints, []);
});

/** Waits until the command line shows a negotiation so. */
async function until(
  owner: Owner,
  thread: string,
  status: string,
  is: (session: { [name: string]: unknown }) => boolean = () => true,
): Promise<void> {
  for (let n = 0; n < 60; n++) {
    const [{ sessions }] = await owner.json(["session", "list"]);
    const found = sessions.find((session: { thread: string }) => session.thread === thread);
    if (found?.status === status && is(found)) return;
  }
  throw new Error(`waited in vain for ${status}`);
}
