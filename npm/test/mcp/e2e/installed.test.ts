// The package as a user gets it: the tarball of `npm pack`, installed into an empty folder, started by its own command.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { Relay } from "../../support/relay.ts";
import { scratch } from "../../support/scratch.ts";
import { Agent } from "./support/agent.ts";
import { walk } from "./support/walk.ts";

const run = promisify(execFile);
const NPM = join(import.meta.dirname, "../../..");

test("two agents pair, talk, agree and part with the installed package", async (t) => {
  const folder = scratch();
  const packed = scratch();
  await run("npm", ["pack", "--pack-destination", packed, "--loglevel=error"], { cwd: NPM });
  const [tarball = ""] = readdirSync(packed);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const options = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...options, join(packed, tarball)], { cwd: folder });
  assert.deepEqual(
    readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")),
    ["agentpair"],
  );

  const relay = await Relay.start({ after });
  const program = realpathSync(join(folder, "node_modules/.bin/agentpair"));
  assert.ok(program.startsWith(realpathSync(folder)), program);
  const start = () => Agent.start(t, { program, dataDir: join(scratch(), "data"), relay: relay.url });
  const [alice, bob] = await Promise.all([start(), start()]);
  await walk(alice, bob);
  for (const { wire } of [alice, bob]) {
    await wire.end();
    assert.deepEqual([wire.stray, wire.errors], [[], ""]);
  }
});
