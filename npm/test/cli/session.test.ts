// A negotiation by the command line: from the terms to a receipt that proves itself.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Relay } from "../support/relay.ts";
import { pair } from "./support/pairing.ts";
import { Owner } from "./support/run.ts";

const { url: relay } = await Relay.start({ after });
const [alice, bob] = [new Owner({ after }, relay), new Owner({ after }, relay)];
await pair(alice, bob);

// Both sides are reachable all the time, as they are beside an MCP server.
const watching = [alice, bob].map((owner) => owner.start(["inbox", "--follow"]));
after(() => watching.map((one) => one.kill()));

/** Waits until one side sees a session so. */
async function until(owner: Owner, thread: string, is: (session: { [name: string]: unknown }) => boolean) {
  for (let n = 0; n < 100; n++) {
    const [{ sessions }] = await owner.json(["session", "list"]);
    const found = sessions.find((session: { thread: string }) => session.thread === thread);
    if (found && is(found)) return found;
  }
  throw new Error("waited in vain");
}

const PRICE = "120 EUR an hour, äöü\n";
const file = join(alice.home, "price.md");
writeFileSync(file, PRICE);

test("two owners negotiate a text, and each can prove what was agreed", async (t) => {
  const opening = [
    "session",
    "open",
    "bob",
    "--goal",
    "Fix the price",
    "--criterion",
    "price: one number",
    "--turns",
    "6",
  ];
  const { stdout } = await alice.run(opening);
  const thread = stdout.trim();
  await bob.decide("open");
  await until(alice, thread, ({ status }) => status === "live");

  const [proposed] = await alice.json(["session", "propose", thread.slice(0, 8), "A fair price.", "--file", file]);
  const hash = proposed.artifact_hash;
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.deepEqual([proposed.turn, proposed.session.turns_remaining], [1, 5]);
  await until(bob, thread, ({ your_turn }) => your_turn === true);

  const [shown] = await bob.json(["session", "show", thread]);
  assert.deepEqual(shown.terms.goal, { untrusted: true, source: "peer", peer: "alice", data: "Fix the price" });
  assert.equal(shown.turns[0].body.data, "A fair price.");
  assert.deepEqual(
    [shown.turns[0].deliverable.kind, shown.turns[0].deliverable.media_type.data],
    ["text", "text/markdown"],
  );
  const text = await bob.run(["session", "show", thread, "--deliverable", hash.slice(0, 10)]);
  assert.equal(text.stdout, "  peer | 120 EUR an hour, äöü\n  peer | \n");
  const copy = join(bob.home, "copy.md");
  await bob.run(["session", "show", thread, "--deliverable", hash, "--out", copy]);
  assert.equal(readFileSync(copy, "utf8"), PRICE);

  await bob.run(["session", "accept", thread, hash.slice(0, 8), "Agreed."]);
  await bob.run(["session", "sign", thread, hash.slice(0, 8)]);
  await alice.run(["receipt", thread], { code: 3 });
  await until(alice, thread, ({ signed_by_peer }) => signed_by_peer === hash);
  const [signed] = await alice.json(["session", "sign", thread, hash]);
  assert.equal(signed.session.status, "signed");
  assert.ok(signed.pending_id);
  await Promise.all([alice.decide("ratify"), bob.decide("ratify")]);
  for (const owner of [alice, bob]) await until(owner, thread, ({ has_receipt }) => has_receipt === true);

  const [written] = await alice.json(["receipt", thread]);
  assert.match(written.file, /^receipt-[0-9a-f]{16}\.json$/);
  await alice.run(["receipt", thread], { code: 1 });
  const piped = await bob.run(["receipt", thread, "-"]);

  // A third party: no keys, no data directory, no relay.
  const judge = new Owner(t, "http://127.0.0.1:9");
  const receipt = join(judge.home, "receipt.json");
  writeFileSync(receipt, piped.stdout);
  const { stdout: words, stderr: limits } = await judge.run(["verify", receipt, "--text", copy]);
  assert.match(words, /^The signatures of both sides hold\.$/m);
  assert.match(words, new RegExp(`^text {7}${hash}, which this file is$`, "m"));
  assert.match(words, /^ {2}peer \| Fix the price$/m);
  assert.match(limits, /each signer's own statement.*A later agreement may replace this one/s);
  const [proof] = await judge.json(["verify", "-"], { input: readFileSync(join(alice.home, written.file), "utf8") });
  assert.deepEqual([proof.agreement, proof.sha256], [written.agreement, hash]);
  assert.equal(proof.goal.data, "Fix the price");
  assert.throws(() => readFileSync(judge.dataDir), /ENOENT/);

  const altered = piped.stdout.replace(/"approved_at": (\d+)/, (_, at) => `"approved_at": ${Number(at) + 1}`);
  assert.notEqual(altered, piped.stdout);
  const bad = await judge.run(["verify", "-", "--json"], { input: altered, code: 1 });
  assert.equal(JSON.parse(bad.stderr).error.code, "invalid_receipt");
  writeFileSync(join(judge.home, "other.md"), "130 EUR an hour\n");
  const wrong = await judge.run(["verify", receipt, "--text", "other.md"], { code: 1 });
  assert.match(wrong.stderr, /is not the text that was agreed/);
});

test("terms from a file, more turns, a counter-proposal, and an end", async () => {
  const terms = {
    goal: "Name the hours",
    acceptance: [],
    budget: { max_turns: 2, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: ["propose"], human_required: ["ratify"] },
  };
  writeFileSync(join(alice.home, "terms.json"), JSON.stringify(terms));
  const [{ thread, max_turns }] = await alice.json(["session", "open", "bob", "--terms", "terms.json"]);
  assert.equal(max_turns, 2);
  await bob.decide("open");
  await until(alice, thread, ({ status }) => status === "live");
  await alice.run(["session", "propose", thread, "--file", "terms.json"]);
  await until(bob, thread, ({ your_turn }) => your_turn === true);
  writeFileSync(join(bob.home, "hours.json"), '{"hours":"9 to 17"}\n');
  const [countered] = await bob.json([
    "session",
    "counter",
    thread,
    "Shorter.",
    "--file",
    "hours.json",
    "--peer",
    "alice",
  ]);
  assert.equal(countered.session.turns_remaining, 0);

  await until(alice, thread, ({ turns }) => turns === 2);
  const late = await alice.run(["session", "accept", thread, countered.artifact_hash], { code: 3 });
  assert.match(late.stderr, /all turns are used/);
  const [extended] = await alice.json(["session", "extend", thread, "--turns", "4"]);
  assert.ok(extended.pending_id);
  await alice.decide("extend");
  await bob.decide("extend");
  await until(alice, thread, ({ turns_remaining }) => turns_remaining === 2);

  await alice.run(["session", "sign", thread, "abc"], { code: 2 });
  await alice.run(["session", "show", "nothing-like-it"], { code: 3 });
  const [closed] = await alice.json(["session", "close", thread, "--reason", "we meet"]);
  assert.equal(closed.session.status, "ended");
  const ended = await until(bob, thread, ({ status }) => status === "ended");
  assert.equal((ended.words as { data: string }).data, "we meet");
  await alice.run(["session", "close", thread], { code: 3 });
});

test("what cannot be signed is refused with what to do", async () => {
  const { stderr } = await alice.run(["session", "open", "bob"], { code: 2 });
  assert.match(stderr, /--goal/);
  await alice.run(["session", "open", "bob", "--goal", "x", "--criterion", "no colon"], { code: 2 });
  const [{ thread }] = await alice.json(["session", "open", "bob", "--goal", "Bytes"]);
  await bob.decide("open");
  await until(alice, thread, ({ status }) => status === "live");
  writeFileSync(join(alice.home, "dos.txt"), "one\r\ntwo\r\n");
  const dos = await alice.run(["session", "propose", thread, "--file", "dos.txt"], { code: 2 });
  assert.match(dos.stderr, /line/);
  writeFileSync(join(alice.home, "binary"), Buffer.from([0xff, 0xfe]));
  const binary = await alice.run(["session", "propose", thread, "--file", "binary"], { code: 2 });
  assert.match(binary.stderr, /is not text in UTF-8/);
  const none = await alice.run(["session", "propose", thread, "--file", "none"], { code: 1 });
  assert.match(none.stderr, /there is no such file/);
});
