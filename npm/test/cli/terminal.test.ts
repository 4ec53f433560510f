// The command line in a terminal, where a human sits.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Relay } from "../support/relay.ts";
import { Owner } from "./support/run.ts";

const { url: relay } = await Relay.start({ after });

test("without a verb a human gets help", async (t) => {
  const { code, stdout } = await new Owner(t, relay).inTerminal([]).end();
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: agentpair/);
});

test("the code is asked for, a mistake can be mended, and the human decides there", async (t) => {
  const [alice, bob] = [new Owner(t, relay), new Owner(t, relay)];
  const inviting = alice.inTerminal(["pair", "--petname", "bob"]);
  const [code] = await inviting.says(/\d+(-[a-z]+){3}/);
  await inviting.says(/the code works for \d+:\d\d/);

  const joining = bob.inTerminal(["join", "--petname", "alice"]);
  await joining.says(/The code:/);
  joining.type(`${code}x\r`);
  await joining.says(/Type it again/);
  joining.type(`${code}\r`);
  await joining.says(/Bond with alice\?/);
  await joining.says(/approve, reject or later/);
  joining.type("approve\r");
  const [one, other] = [await inviting.end(), await joining.end()];
  assert.deepEqual([one.code, other.code], [0, 0], one.stdout + other.stdout);
  assert.match(other.stdout, /alice is bonded/);

  const verifying = alice.inTerminal(["verify-peer", "bob"]);
  await verifying.says(/\d{6}( \d{6}){4}/);
  await verifying.says(/approve, reject or later/);
  verifying.type("reject\r");
  const rejected = await verifying.end();
  assert.equal(rejected.code, 5);
  assert.match(rejected.stdout, /agentpair revoke bob/);

  const again = alice.inTerminal(["verify-peer", "bob"]);
  await again.says(/approve, reject or later/);
  again.type("approve\r");
  assert.equal((await again.end()).code, 0);
  assert.equal((await alice.json(["bonds", "bob"]))[0].verified, true);

  const revoking = alice.inTerminal(["revoke", "bob"]);
  await revoking.says(/End the bond with bob\?/);
  revoking.type("\r");
  assert.equal((await revoking.end()).code, 5);
  assert.equal((await alice.json(["bonds", "bob"]))[0].status, "active");
});

test("Ctrl-C in a question ends it in order", async (t) => {
  const joining = new Owner(t, relay).inTerminal(["join"]);
  await joining.says(/The code:/);
  joining.type("\u0003");
  assert.equal((await joining.end()).code, 130);
});

test("colours are for terminals, and not where they are unwanted", async (t) => {
  const owner = new Owner(t, relay);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are.
  const coloured = /\u001b\[3\dm/;
  assert.match((await owner.inTerminal(["doctor"]).end()).stdout, coloured);
  assert.doesNotMatch((await owner.inTerminal(["doctor"], { NO_COLOR: "1" }).end()).stdout, coloured);
  assert.doesNotMatch((await owner.run(["doctor"])).stdout, coloured);
});
