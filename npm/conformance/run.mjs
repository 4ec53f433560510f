// `make mcp-conformance`: the protocol's own conformance suite against our MCP server. It fails when a scenario fails
// that is not in not-applicable.json, and when one of that list passes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Host } from "agentpair";
import { serve } from "./serve.mjs";

const require = createRequire(import.meta.url);
const SUITE = join(dirname(require.resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");
const LIST = new URL("./not-applicable.json", import.meta.url);

/** What is left of the words given, for the suite: `--scenario NAME`, `--verbose`. */
const further = process.argv.slice(2);

const scratch = mkdtempSync(join(tmpdir(), "agentpair-conformance-"));
const host = await Host.open({ dataDir: join(scratch, "data"), network: false });
const { url, stop } = await serve(host);
try {
  // The suite reads YAML, of which JSON is a part.
  const failures = join(scratch, "expected-failures.yml");
  const names = JSON.parse(readFileSync(LIST, "utf8")).map(({ scenario }) => scenario);
  writeFileSync(failures, JSON.stringify({ server: names }));
  const words = ["server", "--url", url, "--expected-failures", failures, ...further];
  const suite = spawn(process.execPath, [SUITE, ...words], { stdio: "inherit", cwd: scratch });
  const [code] = await once(suite, "exit");
  process.exitCode = code ?? 1;
} finally {
  await stop();
  await host.close();
  rmSync(scratch, { recursive: true, force: true });
}
