// The doctor: what is well, what is not, and the configurations of MCP clients.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Between } from "../support/between.ts";
import { Relay } from "../support/relay.ts";
import { pair } from "./support/pairing.ts";
import { Owner, type RunOptions } from "./support/run.ts";

const { url: relay } = await Relay.start({ after });

/** What it finds, by name: the worst of several. */
async function findings(owner: Owner, options: RunOptions = {}): Promise<{ [name: string]: string }> {
  const [{ checks }] = await owner.json(["doctor"], options);
  const found: { [name: string]: string } = {};
  for (const { name, state } of checks) if (found[name] !== "fail") found[name] = state;
  return found;
}

const WELL = { "Node.js": "ok", "data directory": "ok", disk: "ok", store: "ok", relay: "ok", clock: "ok" };

test("a new owner with a relay is well, and nothing is made", async (t) => {
  const owner = new Owner(t, relay);
  assert.deepEqual(await findings(owner), WELL);
  assert.equal(existsSync(owner.dataDir), false);
});

test("an owner is told how keys and approvals are protected", async (t) => {
  const owner = new Owner(t, relay);
  await owner.run(["bonds"]);
  assert.deepEqual(await findings(owner), { ...WELL, keys: "warn", approvals: "warn" });
  const { stdout } = await owner.run(["doctor"]);
  assert.match(
    stdout,
    /^warn {2}approvals: no PIN is set: an agent that can read your files can decide for you\n {6}→ /m,
  );
});

test("it asks the relay how it is, and nothing in the owner's name", async (t) => {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  const [alice, bob] = [new Owner(t, proxy.url), new Owner(t, proxy.url)];
  await pair(alice, bob);
  const before = proxy.requests;
  await alice.run(["doctor"]);
  assert.equal(proxy.requests, before + 1);
});

test("what is wrong fails, with what to do", async (t) => {
  const owner = new Owner(t, "http://127.0.0.1:9");
  await owner.run(["bonds"]);
  chmodSync(owner.dataDir, 0o755);
  const bad = await findings(owner, { code: 1 });
  assert.deepEqual([bad["data directory"], bad.relay, bad.store], ["fail", "fail", "ok"]);
  const { stdout } = await owner.run(["doctor"], { code: 1 });
  assert.match(
    stdout,
    /^fail {2}relay: no relay at http:\/\/127\.0\.0\.1:9 \(.+\)\n {6}→ agentpair relay starts one here/m,
  );
  writeFileSync(`${owner.dataDir}/agentpair.db`, "no database".repeat(999));
  assert.equal((await findings(owner, { code: 1 })).store, "fail");

  const file = new Owner(t, relay);
  writeFileSync(file.dataDir, "");
  assert.equal((await findings(file, { code: 1 }))["data directory"], "fail");
  const other = new Owner(t, "not an address");
  assert.equal((await findings(other, { code: 1 })).relay, "fail");
});

test("what is no relay, or has another clock, is noticed", async (t) => {
  const health = { status: "ok", relay_conformance: "agentpair-relay/1" };
  const extensions = ["allowlist-version", "challenge-v1", "epoch", "invite"];
  let answer: unknown = { ...health, extensions };
  let date = new Date(Date.now() - 180_000).toUTCString();
  const server = createServer((_, response) => {
    response.writeHead(200, { date }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const owner = new Owner(t, url);
  assert.deepEqual(await findings(owner), { ...WELL, clock: "warn" });
  date = new Date().toUTCString();
  answer = { ...health, extensions: ["epoch"] };
  assert.deepEqual(await findings(owner), { ...WELL, relay: "warn" });
  answer = { status: "ok" };
  assert.deepEqual(await findings(owner, { code: 1 }), { ...WELL, relay: "fail" });
});

test("each client's configuration starts this very server", async (t) => {
  const owner = new Owner(t, relay);
  mkdirSync(owner.dataDir, { mode: 0o700 });
  for (const name of ["claude-desktop", "cursor", "vscode"]) {
    const { stdout, stderr } = await owner.run(["doctor", "--config", name]);
    const config = JSON.parse(stdout);
    const { command, args, env } = (config.mcpServers ?? config.servers).agentpair;
    assert.deepEqual([command, args.at(-1)], [process.execPath, "mcp"]);
    assert.deepEqual(env, { AGENTPAIR_DATA_DIR: owner.dataDir, AGENTPAIR_RELAY_URL: relay });
    assert.match(stderr, /^Add this to /);
  }
  const code = await owner.run(["doctor", "--config", "claude-code"]);
  assert.match(code.stdout, /^claude mcp add agentpair --env AGENTPAIR_DATA_DIR=\S+ --env \S+ -- \S+ \S+ mcp\n$/);
  const codex = await owner.run(["doctor", "--config", "codex"]);
  assert.match(
    codex.stdout,
    /^\[mcp_servers\.agentpair\]\ncommand = ".+"\nargs = \[".+", "mcp"\]\n\n\[mcp_servers\.agentpair\.env\]\n/,
  );
  await owner.run(["doctor", "--config", "emacs"], { code: 2 });
});
