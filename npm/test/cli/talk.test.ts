// Messages by the command line.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Between } from "../support/between.ts";
import { Relay } from "../support/relay.ts";
import { found } from "./support/inbox.ts";
import { pair } from "./support/pairing.ts";
import { jsonLines, Owner } from "./support/run.ts";

const { url: relay } = await Relay.start({ after });
const [alice, bob] = [new Owner({ after }, relay), new Owner({ after }, relay)];
await pair(alice, bob);

/** Waits for a message of that beginning in Bob's inbox. */
const arrived = (beginning: string) => found(bob, ({ body }) => body?.data.startsWith(beginning));

test("a message goes from one inbox to the other, and threads go on", async () => {
  const [sent] = await alice.json(["send", "bob", "Shall we fix the price?", "--kind", "question"]);
  assert.match(sent.delivery, /^(relayed|delivered)$/);
  const item = await arrived("Shall we");
  assert.deepEqual([item.type, item.peer, item.thread, item.seq], ["message", "alice", sent.thread, 1]);
  assert.deepEqual(item.kind, { untrusted: true, source: "peer", peer: "alice", data: "question" });
  const [answer] = await bob.json(["send", "alice", "-", "--thread", sent.thread], { input: "Yes.\nAt once.\n" });
  assert.equal(answer.thread, sent.thread);
  const reply = await found(alice, ({ type }) => type === "message");
  assert.equal(reply.body.data, "Yes.\nAt once.");
});

test("what a peer wrote cannot leave its frame, on a terminal or in JSON", async () => {
  const hostile = "first\n#99  just now  alice: the bond is active\r\u{1b}[2J\u{202e}evil";
  await alice.run(["send", "bob", hostile]);
  const item = await arrived("first");
  assert.equal(item.body.data, "first\n#99  just now  alice: the bond is active\\u{d}\\u{1b}[2J\\u{202e}evil");
  const { stdout } = await bob.run(["inbox", "--item", String(item.n)]);
  const [head, ...lines] = stdout.trimEnd().split("\n");
  assert.match(head ?? "", /^#\d+ {2}just now {2}alice: a message on thread [0-9a-f-]{36}$/);
  assert.ok(lines.length >= 2);
  for (const line of lines) assert.match(line, /^ {2}peer [|+] /);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
  assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  assert.match(stdout, /\\u\{1b\}\[2J/);
});

test("a long text is cut, shown whole, or written to a file", async (t) => {
  const text = `long ${"ä".repeat(20_000)} end`;
  await alice.run(["send", "bob"], { input: text });
  const item = await arrived("long");
  assert.ok(item.body.truncated && item.body.data.length < 9_000);
  const [whole] = await bob.json(["inbox", "--item", String(item.n), "--whole"]);
  assert.equal(whole.body.data, text);
  const file = join(new Owner(t, relay).home, "text.txt");
  await bob.run(["inbox", "--item", String(item.n), "--out", file]);
  assert.equal(readFileSync(file, "utf8"), text);
  const { stderr } = await bob.run(["inbox", "--item", String(item.n), "--out", file], { code: 1 });
  assert.match(stderr, /is there already/);
});

test("what is marked read is not shown again; nothing else marks it", async () => {
  await alice.run(["send", "bob", "to be noted"]);
  await arrived("to be noted");
  const first = await bob.json(["inbox"]);
  assert.deepEqual(await bob.json(["inbox", "--mark-read"]), first);
  const { stdout, stderr } = await bob.run(["inbox"]);
  assert.deepEqual([stdout, stderr], ["", "Nothing new.\n"]);
  assert.deepEqual((await bob.json(["inbox", "--all"])).at(-1), first.at(-1));
});

test("--wait ends when something comes, or says that nothing did", async () => {
  await bob.run(["inbox", "--mark-read"]);
  const { stdout, stderr } = await bob.run(["inbox", "--wait", "1"], { code: 5 });
  assert.deepEqual([stdout, stderr], ["", "Nothing came in 1 s.\n"]);
  const waiting = bob.start(["inbox", "--wait", "60", "--json"]);
  await alice.run(["send", "bob", "worth the wait"]);
  const { code, stdout: came } = await waiting.end();
  assert.equal(code, 0);
  assert.equal(jsonLines(came).at(-1).body.data, "worth the wait");
});

test("--follow goes on until nobody reads any more, quietly", async () => {
  const following = bob.start(["inbox", "--follow", "--json", "--all"]);
  await following.says(/worth the wait/);
  following.process.stdout?.destroy();
  await alice.run(["send", "bob", "after the reader left"]);
  const { code, stderr } = await following.end();
  assert.deepEqual([code, stderr], [0, ""]);
});

test("without a relay a message is kept, and leaves later", async (t) => {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  const [carol, dave] = [new Owner(t, proxy.url), new Owner(t, proxy.url)];
  await pair(carol, dave);
  proxy.answer = (_, response) => response.destroy();
  proxy.hangUp();
  const [sent] = await carol.json(["send", "bob", "for later"]);
  assert.equal(sent.delivery, "queued");
  const { stderr } = await carol.run(["send", "bob", "and this"]);
  assert.match(stderr, /is kept, and leaves when .* Do not send it again/);
  proxy.answer = undefined;
  await carol.run(["send", "bob", "now"]);
  for (const text of ["for later", "and this", "now"]) await found(dave, ({ body }) => body?.data === text);
});

test("what cannot be sent is refused with what to do", async () => {
  const { stderr } = await alice.run(["send", "nobody", "x"], { code: 3 });
  assert.match(stderr, /no bond nobody/);
  const bad = await alice.run(["send", "bob", "x", "--ttl", "soon"], { code: 2 });
  assert.match(bad.stderr, /whole number/);
});
