// Pairing by the command line.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { freePort } from "../../scripts/local-relay.mjs";
import { Relay } from "../support/relay.ts";
import { found } from "./support/inbox.ts";
import { jsonLines, Owner } from "./support/run.ts";

const { url: relay } = await Relay.start({ after });

test("one side says a code, the other types it, and both are bonded", async (t) => {
  const [alice, bob] = [new Owner(t, relay), new Owner(t, relay)];
  const inviting = alice.start(["--json", "pair", "--petname", "bob"]);
  const [line] = await inviting.says(/^\{.*\}$/m);
  const invite = JSON.parse(line);
  assert.match(invite.code, /^\d+(-[a-z]+){3}$/);
  assert.ok(Date.parse(invite.expires_at) > Date.now());

  const joining = bob.start(["join", "--petname", "alice", "--json"], { input: `  ${invite.code}\r\n` });
  const [asked] = await joining.says(/^\{.*\}$/m);
  const question = JSON.parse(asked);
  assert.equal(question.kind, "join");
  assert.match(readFileSync(question.approval_path, "utf8"), /^approve: \d{6}$/m);
  assert.equal(await bob.decide("join"), question.pending_id);

  const [one, other] = [await inviting.end(), await joining.end()];
  assert.deepEqual([one.code, other.code], [0, 0], one.stderr + other.stderr);
  const [bond, back] = [one, other].map(({ stdout }) => jsonLines(stdout).at(-1));
  assert.deepEqual([bond.peer, bond.status], ["bob", "active"]);
  assert.deepEqual([back.peer, back.status], ["alice", "active"]);
  // Words for the human are not in between the data.
  assert.match(one.stderr, /by voice/);

  const [{ bonds }] = await alice.json(["bonds"]);
  assert.deepEqual(
    bonds.map(({ peer, verified, scope }: { [name: string]: unknown }) => [peer, verified, scope]),
    [["bob", false, ["message", "negotiate"]]],
  );
  const numbers = await Promise.all([alice.json(["safety", "bob"]), bob.json(["safety", "alice"])]);
  assert.match(numbers[0][0].number.join(" "), /^\d{6}( \d{6}){4}$/);
  assert.deepEqual(numbers[0][0].number, numbers[1][0].number);

  const [renamed] = await alice.json(["rename", "bob", "Bob of the shop"]);
  assert.equal(renamed.peer, "Bob of the shop");
  assert.match((await alice.run(["bonds"])).stdout, /^Bob of the shop +active +not verified/m);
  await alice.run(["bonds", "bob"], { code: 3 });

  const [{ pending_id: pending }] = await alice.json(["verify-peer", "Bob of the shop"]);
  assert.equal(await alice.decide("verify"), pending);
  assert.equal((await alice.json(["bonds", "Bob of the shop"]))[0].verified, true);

  await alice.run(["revoke", "Bob of the shop"], { code: 2 });
  const [revoked] = await alice.json(["revoke", "Bob of the shop", "--yes", "--reason", "over"]);
  assert.equal(revoked.status, "revoked");
  const end = await found(bob, ({ status }) => status === "revoked_by_peer");
  assert.deepEqual(end.reason, { untrusted: true, source: "peer", peer: "alice", data: "over" });
});

test("a code behind the command is refused, and not repeated", async (t) => {
  const { stdout, stderr } = await new Owner(t, relay).run(["join", "12-secret-words-here"], { code: 2 });
  assert.match(stderr, /a code is a secret/);
  assert.doesNotMatch(stdout + stderr, /secret-words-here/);
  const more = await new Owner(t, relay).run(["join", "-", "12-secret-words-here"], { code: 2 });
  assert.doesNotMatch(more.stdout + more.stderr, /secret-words-here/);
});

test("a mistyped code says so, and no guess is spent", async (t) => {
  const { stderr } = await new Owner(t, relay).run(["join"], { input: "42-tulp-roamer-guacamole\n", code: 3 });
  assert.match(stderr, /tulip/);
  const json = await new Owner(t, relay).run(["join", "-", "--json"], { input: "nonsense\n", code: 3 });
  assert.equal(JSON.parse(json.stderr).error.code, "code_malformed");
  assert.equal(json.stdout, "");
});

test("the first errors say what to do", async (t) => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const owner = new Owner(t, nowhere);
  const { stderr } = await owner.run(["pair"], { code: 4 });
  assert.equal(
    stderr.trimEnd().split("\n").at(-1),
    `agentpair: no relay at ${nowhere}: start one with \`agentpair relay\``,
  );
  const joined = await owner.run(["join"], { input: "42-tulip-roamer-guacamole\n", code: 4 });
  assert.match(joined.stderr, /no relay at .*: start one with `agentpair relay`/);
  const unknown = await owner.run(["join", "--relay", relay], { input: "42-tulip-roamer-guacamole\n", code: 1 });
  assert.match(unknown.stderr, new RegExp(`no such invite at ${relay}: are both on the same relay\\?`));
});

test("Ctrl-C while it waits withdraws the code", async (t) => {
  const [alice, bob] = [new Owner(t, relay), new Owner(t, relay)];
  const inviting = alice.start(["pair"]);
  const [code] = await inviting.says(/^\S+$/m);
  inviting.process.kill("SIGINT");
  const { code: exit, stderr } = await inviting.end();
  assert.equal(exit, 130);
  assert.match(stderr, /withdrawn/);
  await bob.run(["join"], { input: `${code}\n`, code: 1 });
});

test("the human's no on the other side ends both", async (t) => {
  const [alice, bob] = [new Owner(t, relay), new Owner(t, relay)];
  const inviting = alice.start(["pair", "--form", "digits"]);
  const [code] = await inviting.says(/^[\d-]+$/m);
  const joining = bob.start(["join"], { input: `${code}\n` });
  await bob.decide("join", "reject");
  assert.deepEqual([(await inviting.end()).code, (await joining.end()).code], [5, 5]);
});

test("--no-wait leaves the waiting to another process", async (t) => {
  const [alice, bob] = [new Owner(t, relay), new Owner(t, relay)];
  const [{ code }] = await alice.json(["pair", "--no-wait", "--form", "link", "--petname", "bob"]);
  const following = alice.start(["inbox", "--follow", "--json"]);
  const joining = bob.start(["join", "--petname", "alice"], { input: code });
  await bob.decide("join");
  await following.says(/"status":"active"/);
  assert.equal((await joining.end()).code, 0);
  following.process.kill("SIGTERM");
  assert.equal((await following.end()).code, 143);
});
