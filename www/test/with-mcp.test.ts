// A person with the page and another one whose agent works through an MCP server on stdio: the agent calls tools, its
// human decides by the code in a file. With a reload of the page in the middle of every step.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { verifyReceipt } from "../../npm/dist/node.js";
import { Agent, type Json } from "../../npm/test/mcp/e2e/support/agent.ts";
import { receipt } from "../../npm/test/mcp/e2e/support/walk.ts";
import { scratch } from "../../npm/test/support/scratch.ts";
import { PRICE, terms } from "./support/node-side.ts";
import { type Person, Stage } from "./support/stage.ts";
import * as way from "./support/way.ts";

const stage = await Stage.start({ after });
const reload = (who: Person) => who.page.reload();

test("an agent invites by words and opens, the page counters: from the invite to the receipt", async (t) => {
  const [alice, bob] = [await stage.person(t), await agent(t)];
  const { code, pairing } = await bob.good("pair_init", { petname: "alice" });
  await way.joinByWords(alice, code, "Bob", reload);
  assert.equal((await bob.good("pair_init_complete", { pairing })).status, "bonded");
  await alice.heading("Bob");
  await compared(alice, bob);

  await bob.good("send", { to: "alice", body: "Shall we fix the <b>price</b>?", kind: "question" });
  await alice.reads("Shall we fix the <b>price</b>?");
  await reload(alice);
  await alice.reads("Shall we fix the <b>price</b>?");
  await way.send(alice, "Yes, let us.");
  await reload(alice);
  const heard = await bob.heard(({ body }) => body?.data === "Yes, let us.", "the answer");
  assert.deepEqual(heard.body, { untrusted: true, source: "peer", peer: "alice", data: "Yes, let us." });

  const { session } = await bob.good("session_open", { to: "alice", ...terms("The price of one hour") });
  const { thread } = session;
  await way.letBegin(alice, "The price of one hour", reload);
  await bob.sessionThat(thread, ({ status }) => status === "live", "a yes");
  await bob.good("session_msg", { thread, type: "propose", body: "A fair price.", deliverable: PRICE });
  await alice.reads("A fair price.");
  const text = PRICE.text.replace("120.00", "125.00");
  await way.putForward(alice, text, reload);
  await bob.sessionThat(thread, ({ turns, your_turn }) => turns === 2 && your_turn, "the counter-proposal");
  const { turns } = await bob.good("session_status", { thread });
  const artifact_hash = turns[1].deliverable.artifact_hash;
  const { deliverable } = await bob.good("session_status", { thread, deliverable: artifact_hash });
  assert.equal(deliverable.text.data, text);
  await bob.good("session_msg", { thread, type: "accept", body: "Agreed.", artifact_hash });
  await bob.good("session_sign", { thread, artifact_hash });
  await alice.page.getByRole("button", { name: "Sign this text" }).waitFor();
  await reload(alice);
  await alice.press("Sign this text");
  await ratified(alice, bob, thread, text);
});

test("the page invites by link and proposes, an agent joins and accepts: from the invite to the receipt", async (t) => {
  const [alice, bob] = [await stage.person(t), await agent(t)];
  const link = await way.invite(alice, "Bob", reload);
  const { pairing, pending_id } = await bob.good("pair_join", { code: link, petname: "alice" });
  await bob.decide("join", "approve", (item) => item.pending_id === pending_id);
  assert.equal((await bob.good("pair_init_complete", { pairing })).status, "bonded");
  await alice.heading("Bob");

  await way.offer(alice, "The price of one day", reload);
  const { thread: named } = await bob.decide("open");
  const thread = typeof named === "string" ? named : (named?.data ?? "");
  await way.putForward(alice, "800 EUR a day.\n", reload);
  await bob.sessionThat(thread, ({ turns, your_turn }) => turns === 1 && your_turn, "the proposal");
  const { turns } = await bob.good("session_status", { thread });
  const artifact_hash = turns[0].deliverable.artifact_hash;
  await bob.good("session_msg", { thread, type: "accept", body: "Agreed.", artifact_hash });
  await alice.reads("Bob accepted the text. Sign it, if you want it too.");
  await reload(alice);
  await bob.good("session_sign", { thread, artifact_hash });
  await alice.press("Sign this text");
  await ratified(alice, bob, thread, "800 EUR a day.\n");

  await alice.follow(/Back to Bob/);
  await bob.good("revoke", { peer: "alice", reason: "We are done." });
  await alice.reads("Bob revoked it. Nothing goes through any more.");
  await reload(alice);
  await alice.reads("We are done.");
});

/** An agent with a server of its own. */
function agent(t: Parameters<typeof Agent.start>[0]): Promise<Agent> {
  return Agent.start(t, { kind: "client", dataDir: join(scratch(), "data"), relay: stage.relay.url });
}

/** Both humans see the same number, and say so. */
async function compared(alice: Person, bob: Agent): Promise<void> {
  const { number, pending_id } = await bob.good("safety_number", { peer: "alice", ask_human: true });
  assert.equal(await way.compare(alice, reload), number.join(" "));
  await bob.decide("verify", "approve", (item) => item.pending_id === pending_id);
  const { bonds } = await bob.good("list_bonds");
  assert.equal(bonds.find(({ peer }: Json) => peer === "alice")?.verified, true);
}

/** Both humans ratify what both signed, and have the same receipt. */
async function ratified(alice: Person, bob: Agent, thread: string, text: string): Promise<void> {
  await way.ratify(alice, reload);
  await bob.decide("ratify");
  await way.agreed(alice, reload);
  await bob.sessionThat(thread, ({ has_receipt }) => has_receipt, "the receipt");
  const [ours, theirs] = [await way.receiptOf(alice), await receipt(bob, thread)];
  assert.equal(ours, theirs);
  assert.ok(verifyReceipt(ours).agreement);
  assert.equal(JSON.parse(ours).deliverable.text, text);
  assert.deepEqual(alice.complaints, []);
}
