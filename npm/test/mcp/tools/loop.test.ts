import assert from "node:assert/strict";
import { after, test } from "node:test";
import { received } from "../../support/hosts.ts";
import { Relay } from "../../support/relay.ts";
import { decide, two } from "./support/two.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

test("what was just said on a thread, by either side, is not sent again", async (t) => {
  const { alice, bob, desk, other } = await two(t, relay.url);
  const thread = "thanks";
  const say = (body: string, on = thread) => desk.call("send", { to: "bob", body, thread: on });
  const code = async (body: string, on = thread) => (await say(body, on)).error?.code;
  assert.equal(await code("Thank you!"), undefined);
  for (const same of ["thank you", "  THANK… you?? ", "Thank\nyou"])
    assert.equal(await code(same), "no_new_content", same);
  assert.equal(await code("Thank you!", "another"), undefined);
  assert.equal(await code("Thank you, Bob"), undefined);
  assert.equal(await code("👍"), undefined);
  assert.equal(await code("👍"), "no_new_content");
  assert.equal(await code("👎"), undefined);
  // The other side's words too.
  await received(bob, 5);
  const echo = await other.bad("send", { to: "alice", body: "thank you bob", thread });
  assert.equal(echo.code, "no_new_content");
  await bob.send("alice", "Goodbye", { thread });
  await received(alice, 1);
  assert.equal(await code("goodbye."), "no_new_content");
  // Six messages later it may be said again.
  for (const word of ["one", "two", "three", "four", "five", "six"]) assert.equal(await code(word), undefined);
  assert.equal(await code("Thank you!"), undefined);
});

test("after 60 messages the human is asked, and can let the agent go on", async (t) => {
  const { alice, bob, desk } = await two(t, relay.url);
  for (let n = 1; n <= 60; n++) await alice.send("bob", `word ${n}`);
  assert.match((await desk.good("list_bonds")).bonds[0].attention, /60 messages since your human/);
  const braked = await desk.call("send", { to: "bob", body: "one more" });
  assert.deepEqual([braked.error.code, braked.error.blame], ["loop_brake", "policy"]);
  const [asked] = braked.waiting;
  assert.deepEqual([asked.kind, asked.peer], ["continue", "bob"]);
  assert.equal((await desk.bad("send", { to: "bob", body: "something else" })).code, "loop_brake");
  assert.equal((await alice.pendings()).length, 1);
  assert.match((await desk.good("list_bonds")).bonds[0].attention, /stopped/);
  await decide(desk, alice, "continue");
  await desk.good("send", { to: "bob", body: "one more" });
  assert.equal((await received(bob, 61)).at(-1), "one more");
});
