// How the command line behaves whatever the verb: streams, exit codes, errors.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Owner, PROGRAM } from "./support/run.ts";

const NOWHERE = "http://127.0.0.1:9";

test("help and version are data; wrong usage is not", async (t) => {
  const owner = new Owner(t, NOWHERE);
  for (const words of [["--help"], ["help"], ["help", "session"], ["session", "open", "--help"], ["-V"]]) {
    const { stdout, stderr } = await owner.run(words);
    assert.ok(stdout.length > 0);
    assert.equal(stderr, "");
  }
  const wrong = [
    ["nope"],
    ["bonds", "--nope"],
    ["safety"],
    ["pair", "--form", "smoke"],
    ["session"],
    ["relay", "--port", "-1"],
  ];
  for (const words of wrong) {
    const { stdout, stderr } = await owner.run(words, { code: 2 });
    assert.equal(stdout, "");
    assert.ok(stderr.length > 0);
  }
  assert.match((await owner.run(["bnds"], { code: 2 })).stderr, /Did you mean bonds\?/);
});

test("errors are one sentence, or with --json one object", async (t) => {
  const owner = new Owner(t, NOWHERE);
  const { stderr } = await owner.run(["safety", "nobody"], { code: 3 });
  assert.equal(stderr, "agentpair: no bond nobody\n");
  const json = await owner.run(["safety", "nobody", "--json"], { code: 3 });
  assert.deepEqual(JSON.parse(json.stderr), {
    error: { code: "bond_not_found", blame: "policy", message: "no bond nobody" },
  });
  const { stderr: address } = await owner.run(["bonds", "--relay", "relay.example"], { code: 2 });
  assert.match(address, /must be a base URL/);
});

test("global options go before the verb and behind it, and before the environment", async (t) => {
  const owner = new Owner(t, NOWHERE);
  const here = join(owner.home, "elsewhere");
  const [one] = await owner.json(["--data-dir", here, "bonds"]);
  const [other] = await owner.json(["bonds", "--data-dir", here]);
  const [environment] = await owner.json(["bonds"]);
  assert.equal(one.me.agent_id, other.me.agent_id);
  assert.notEqual(one.me.agent_id, environment.me.agent_id);
});

test("an older Node is told, before anything else happens", async (t) => {
  const owner = new Owner(t, NOWHERE);
  const pretend = join(owner.home, "pretend.mjs");
  writeFileSync(pretend, 'Object.defineProperty(process.versions, "node", { value: "22.12.9" });');
  const env = { NODE_OPTIONS: `--import=${pretend}` };
  const { stdout, stderr } = await owner.run(["--help"], { env, code: 1 });
  assert.deepEqual([stdout, stderr], ["", "agentpair needs Node.js 22.13 or newer; this is 22.12.9\n"]);
});

test("a reader that leaves early is no error", async (t) => {
  const owner = new Owner(t, NOWHERE);
  for (const words of ["--help", "completion bash", "bonds --json", "audit"]) {
    const script = `'${process.execPath}' '${PROGRAM}' ${words} | true; echo "\${PIPESTATUS[0]}" >&2`;
    const { stderr } = await owner.shell(script);
    assert.match(stderr, /^(no bonds[^\n]*\n)?0\n$/i);
  }
});

test("a fault of the program is told as one", async (t) => {
  const owner = new Owner(t, NOWHERE);
  await owner.run(["bonds"]);
  writeFileSync(
    join(owner.dataDir, "agentpair.db"),
    "this is no database, and long enough to be read as one".repeat(99),
  );
  const { stderr } = await owner.run(["bonds"], { code: 70 });
  assert.match(stderr, /store_corrupt/);
});
