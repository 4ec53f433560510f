// The core fails in the middle of a call: that is an error of the call, and the pipe stays clean.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { openHost, pair } from "../../support/hosts.ts";
import { Relay } from "../../support/relay.ts";
import { scratch } from "../../support/scratch.ts";
import { Agent } from "./support/agent.ts";
import { keysUnder, overwrite, record } from "./support/database.ts";
import { PROGRAM, Wire } from "./support/wire.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

test("a store that is damaged under a running server", async (t) => {
  const dataDir = join(scratch(), "bob");
  const alice = await openHost(t, { relay: relay.url });
  const bob = await openHost(t, { relay: relay.url, dataDir });
  await pair(alice, bob);
  await bob.close();
  const agent = await Agent.start(t, { dataDir, relay: relay.url });
  await agent.good("list_bonds");

  const [key = ""] = keysUnder(dataDir, "bond/");
  const whole = record(dataDir, key) ?? null;
  for (const damage of ["{", "\u001b[31mno JSON", '{"id":"x"}', "null"]) {
    overwrite(dataDir, key, damage);
    for (const [tool, args] of [
      ["list_bonds", {}],
      ["send", { to: "alice", body: "Hello?" }],
      ["inbox_wait", { timeout_ms: 200 }],
      ["audit_export", {}],
      ["human_approve", { pending_id: "x", approval_code: "123456" }],
    ] as const) {
      const error = await agent.bad(tool, args);
      assert.deepEqual([error.code, error.blame], ["store_corrupt", "bug"], `${tool}: ${error.message}`);
      assert.match(error.message, /damaged/);
    }
    // It goes on when the store is whole again.
    overwrite(dataDir, key, whole);
    assert.equal((await agent.good("list_bonds")).bonds[0]?.peer, "alice");
  }
  assert.deepEqual(agent.wire.stray, []);
  // What went wrong is told, on standard error, in lines that no terminal obeys.
  assert.match(agent.wire.errors, /^[^\p{Cc}]*(\n[^\p{Cc}]*)*$/u);
  await agent.end();
});

/**
 * Loaded into the server's process from outside: at SIGUSR2 the core gets no more memory. What it cannot hold then makes
 * it trap, as a panic does.
 */
const TRAP = `
  import { initSync } from ${JSON.stringify(pathToFileURL(join(dirname(PROGRAM), "../wasm/agentpair.js")).href)};
  process.on("SIGUSR2", () => {
    const { memory } = initSync();
    for (let pages = 65_536; pages >= 1; ) {
      try {
        memory.grow(pages);
      } catch {
        pages /= 2;
      }
    }
    console.error("no more memory");
  });
`;

for (const kind of ["client-2026", "sdk"] as const) {
  test(`a core that panics: ${kind}`, async (t) => {
    const dataDir = join(scratch(), "bob");
    const preload = `data:text/javascript,${encodeURIComponent(TRAP)}`;
    const env = { NODE_OPTIONS: `--import=${preload}` };
    const agent = await Agent.start(t, { kind, dataDir, relay: relay.url, env });
    assert.deepEqual((await agent.good("list_bonds")).bonds, []);
    const grown = agent.wire.complaint(/no more memory/);
    process.kill(agent.wire.pid ?? 0, "SIGUSR2");
    await grown;
    overwrite(dataDir, "nonce/x/000000000001", JSON.stringify({ nonce: "x".repeat(16 * 1024 * 1024), ts: 1 }));
    for (const tool of ["list_bonds", "pair_init", "audit_export", "inbox_wait", "human_approve"]) {
      const args = tool === "human_approve" ? { pending_id: "x", approval_code: "123456" } : {};
      const { code, blame, message } = await agent.bad(tool, args);
      assert.deepEqual([code, blame], ["panicked", "bug"], `${tool}: ${message}`);
    }
    await agent.end();
    assert.deepEqual(agent.wire.stray, []);
    // Another process of the directory does better.
    const next = await Agent.start(t, { kind, dataDir, relay: relay.url });
    assert.deepEqual((await next.good("list_bonds")).bonds, []);
  });
}

test("a server on a store that is damaged already says so, and no more", async (t) => {
  const dataDir = join(scratch(), "bob");
  const host = await openHost(t, { relay: relay.url, dataDir, network: false });
  await host.close();
  overwrite(dataDir, "host/root", "{");
  const wire = new Wire(t, { dataDir, relay: relay.url });
  await wire.start();
  const gone = new Promise<void>((resolve) => {
    wire.onclose = resolve;
  });
  wire.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await gone;
  assert.deepEqual(wire.stray, []);
  assert.match(wire.errors, /damaged/);
});
