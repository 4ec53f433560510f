// `agentpair relay` as a user gets it: the package's tarball in an empty folder, with what it fetches itself.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "../../scripts/local-relay.mjs";
import { scratch } from "../support/scratch.ts";
import { Owner, Running } from "./support/run.ts";

const run = promisify(execFile);
const NPM = join(import.meta.dirname, "../..");

const packed = scratch();
await run("npm", ["pack", "--pack-destination", packed, "--loglevel=error"], { cwd: NPM });
const folder = scratch();
writeFileSync(join(folder, "package.json"), '{ "private": true }');
const quiet = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
await run("npm", ["install", ...quiet, join(packed, readdirSync(packed)[0] ?? "")], { cwd: folder });
const cache = scratch();

/** Starts the installed command, with an environment as a user has it. */
function start(
  t: { after(work: () => Promise<void>): void },
  words: string[],
  env: { [name: string]: string } = {},
): Running {
  const child = spawn(join(folder, "node_modules/.bin/agentpair"), words, {
    cwd: folder,
    // Its first line asks for `node`: the one of these tests, which may not be the system's.
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, XDG_CACHE_HOME: cache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const running = new Running(child);
  t.after(() => running.kill());
  return running;
}

test("what cannot be fetched is told in words, and nothing half is left", async (t) => {
  const empty = scratch();
  const env = { XDG_CACHE_HOME: empty, npm_config_cache: scratch(), npm_config_fetch_retries: "0" };
  const registry = `http://127.0.0.1:${await freePort()}/`;
  const offline = await start(t, ["relay"], { ...env, npm_config_registry: registry }).end();
  assert.equal(offline.code, 1);
  assert.match(offline.stderr, /^fetching miniflare [\d.]+ by npm, once, into /);
  assert.match(offline.stderr, /the package registry cannot be reached; go online once/);
  // Node itself is still to be found.
  const bin = scratch();
  cpSync(process.execPath, join(bin, "node"));
  const missing = await start(t, ["relay"], { ...env, PATH: bin }).end();
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /npm is needed to fetch miniflare/);
  assert.deepEqual(readdirSync(join(empty, "agentpair")), []);
});

test("it runs from the tarball, once for its data, and stops in order", async (t) => {
  const data = join(scratch(), "relay");
  // Two at once, before anything is fetched: it is fetched once.
  const [first, other] = [
    start(t, ["relay", "--port", "0", "--data", data]),
    start(t, ["relay", "--port", "0", "--data", join(scratch(), "other"), "--json"]),
  ];
  const [, url = ""] = await first.says(/^AgentPair relay: (http:\/\/127\.0\.0\.1:\d+)$/m);
  const [line] = await other.says(/^\{.*\}$/m);
  assert.match(JSON.parse(line).url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal((first.stderr + other.stderr).match(/^fetching/gm)?.length, 1);
  assert.match(first.stderr + other.stderr, /is fetching miniflare [\d.]+: waiting for it/);
  const fetched = readdirSync(join(cache, "agentpair"));
  assert.equal(fetched.length, 1);

  const health = await fetch(`${url}/health`);
  assert.equal((await health.json()).relay_conformance, "agentpair-relay/1");
  assert.deepEqual(readdirSync(data).sort(), ["artifacts", "challenge-key", "lock", "objects"]);

  const again = await start(t, ["relay", "--port", "0", "--data", data]).end();
  assert.equal(again.code, 1);
  assert.match(again.stderr, new RegExp(`process ${first.process.pid} runs a relay on ${data}`));
  assert.doesNotMatch(again.stderr, /fetching/);

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  const busy = await start(t, ["relay", "--port", String(port), "--data", join(scratch(), "busy")]).end();
  assert.equal(busy.code, 1);
  assert.match(busy.stderr, new RegExp(`port ${port} is taken`));

  for (const [running, signal] of [
    [first, "SIGINT"],
    [other, "SIGTERM"],
  ] as const) {
    running.process.kill(signal);
    assert.deepEqual((await running.end()).code, 0);
  }
  await assert.rejects(fetch(`${url}/health`));
  assert.equal(existsSync(join(data, "lock")), false);
});

test("what is fetched is what this version is tested with", () => {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8")).packages;
  const tested = read(join(NPM, "package-lock.json"));
  const pinned = read(join(folder, "node_modules/agentpair/dist/fetched/miniflare/package-lock.json"));
  const names = Object.keys(pinned).filter((name) => name !== "");
  assert.ok(names.includes("node_modules/miniflare") && names.includes("node_modules/workerd"));
  for (const name of names) {
    assert.match(pinned[name].integrity, /^sha512-/, name);
    assert.equal(pinned[name].integrity, tested[name]?.integrity, name);
    assert.equal(pinned[name].resolved, undefined, name);
  }
});

test("a package that was tampered with is not installed", async (t) => {
  // The very lock file, with another hash for one package.
  const place = join(scratch(), "node_modules/agentpair");
  mkdirSync(place, { recursive: true });
  cpSync(join(folder, "node_modules/agentpair"), place, { recursive: true });
  const file = join(place, "dist/fetched/miniflare/package-lock.json");
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const hash = "A".repeat(86);
  lock.packages["node_modules/kleur"].integrity = `sha512-${hash}==`;
  writeFileSync(file, JSON.stringify(lock));
  const owner = new Owner(t, undefined, { XDG_CACHE_HOME: scratch() });
  const { stderr } = await owner.shell(`'${process.execPath}' '${place}/dist/bin/agentpair.js' relay`);
  assert.match(stderr, /a package is not the one that this version was made with, so nothing was installed/);
});
