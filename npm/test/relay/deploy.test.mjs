// wrangler accepts wrangler.toml and the built Worker, with every binding that the code asks for.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { BRAKES } from "../../scripts/local-relay.mjs";

const root = resolve(import.meta.dirname, "../../..");
const wrangler = join(root, "npm/node_modules/wrangler/bin/wrangler.js");

describe("wrangler.toml", () => {
  let out;
  before(() => {
    out = mkdtempSync(join(tmpdir(), "agentpair-deploy-"));
  });
  after(() => rmSync(out, { recursive: true, force: true }));

  it("deploys, as far as that can be tried without an account", { timeout: 300_000 }, async () => {
    const child = spawn(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", join(out, "bundle")], {
      cwd: root,
      env: {
        ...process.env,
        CI: "1",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        CLOUDFLARE_TELEMETRY_DISABLED: "1",
        WRANGLER_HIDE_BANNER: "true",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_SEND_ERROR_REPORTS: "false",
        XDG_CONFIG_HOME: join(out, "config"),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        text += chunk;
      });
    }
    const code = await new Promise((done) => child.on("exit", done));
    assert.equal(code, 0, text);
    for (const binding of ["env.INBOX", "env.PAIR_SESSION", "env.INVITE", "env.ARTIFACTS"]) {
      assert.ok(text.includes(binding), `${binding} is missing:\n${text}`);
    }
    for (const name of Object.keys(BRAKES)) assert.ok(text.includes(`env.${name}`), `${name} is missing:\n${text}`);
    const files = readdirSync(join(out, "bundle"));
    assert.ok(
      files.some((file) => file.endsWith(".wasm")),
      files.join(),
    );
  });

  it("has the brakes of the local relay, and asks the code for no other binding", () => {
    const config = readFileSync(join(root, "wrangler.toml"), "utf8");
    const blocks = [
      ...config.matchAll(/name = "(LIMITER_\w+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = (\d+) \}/g),
    ];
    const found = Object.fromEntries(
      blocks.map(([, name, limit, period]) => [name, { limit: Number(limit), period: Number(period) }]),
    );
    assert.deepEqual(found, BRAKES);
    const sources = readdirSync(join(root, "worker-relay/src"), { recursive: true })
      .filter((file) => file.endsWith(".rs"))
      .map((file) => readFileSync(join(root, "worker-relay/src", file), "utf8"))
      .join("\n");
    const asked = new Set(
      [...sources.matchAll(/"(INBOX|PAIR_SESSION|INVITE|ARTIFACTS|LIMITER_\w+)"/g)].map(([, name]) => name),
    );
    assert.deepEqual(
      [...asked].sort(),
      ["ARTIFACTS", "INBOX", "INVITE", "PAIR_SESSION", ...Object.keys(BRAKES)].sort(),
    );
  });
});
