// The folder that an operator puts on a host: `make build-page`, and the server of `make page`.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";
import { scratch } from "../../npm/test/support/scratch.ts";
import { policy } from "../scripts/policy.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
const RELAYS = ["https://relay.example", "https://other.example:8443"];

/** Builds as `make build-page` does, into a folder of this test's. */
async function build(): Promise<{ folder: string; digest: string }> {
  const folder = join(scratch(), "page");
  const env = { ...process.env, RELAYS: RELAYS.join(" "), OUT: folder };
  const { stdout } = await promisify(execFile)(join(ROOT, "scripts/build-page"), { env });
  const [, digest = ""] = /^page: digest ([0-9a-f]{64})$/m.exec(stdout) ?? [];
  return { folder, digest };
}

const first = await build();

test("the same sources make the same folder, and its digest names every file of it", async () => {
  const second = await build();
  assert.equal(first.digest, second.digest);
  const sums = readFileSync(join(first.folder, "SHA256SUMS"));
  assert.equal(createHash("sha256").update(sums).digest("hex"), first.digest);
  execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: first.folder });
  const named = sums
    .toString()
    .trim()
    .split("\n")
    .map((line) => line.slice(66));
  const files = readdirSync(first.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(first.folder.length + 1));
  assert.deepEqual(named.toSorted(), files.filter((name) => name !== "SHA256SUMS").toSorted());
});

test("nothing in it is of this machine, and its policy names its relays and nobody else", () => {
  const { folder } = first;
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const [, found] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html) ?? [];
  assert.equal(found?.replaceAll("&#39;", "'"), policy(RELAYS));
  assert.match(
    policy(RELAYS),
    /connect-src 'self' https:\/\/relay\.example https:\/\/other\.example:8443 wss:\/\/relay/,
  );
  assert.doesNotMatch(html, /<script(?![^>]* src="\.\/)|<style|style=|onclick/);
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.(html|js|css|wasm|md)$/.test(String(name))) continue;
    assert.ok(!readFileSync(join(folder, String(name)), "latin1").includes(ROOT), String(name));
  }
});

test("it is served on this machine, its own files and nothing above them", async (t) => {
  const { folder } = first;
  const server = spawn(process.execPath, [join(ROOT, "www/scripts/serve.mjs"), folder], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => server.kill());
  let url = "";
  for await (const line of createInterface({ input: server.stdout })) {
    [, url = ""] = /^AgentPair page: (\S+)$/.exec(line) ?? [];
    break;
  }
  const types: [string, string][] = [
    ["", "text/html; charset=utf-8"],
    ["icon.svg", "image/svg+xml"],
  ];
  for (const [path, type] of types) {
    const answer = await fetch(url + path);
    assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, type]);
    await answer.arrayBuffer();
  }
  for (const path of ["nothing", "%2e%2e/package.json", "..%2fpackage.json", "assets/%2e%2e/%2e%2e/x", "%00", "%"]) {
    const answer = await fetch(url + path);
    assert.equal(answer.status, 404, path);
    await answer.arrayBuffer();
  }
  assert.equal((await fetch(url, { method: "POST" })).status, 405);
});
