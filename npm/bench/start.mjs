// How long an MCP client waits for the server's tools: from starting the process to the answer of `tools/list`. Nothing
// is asserted. `node npm/bench/start.mjs [RUNS]`

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";

const PROGRAM = fileURLToPath(new URL("../dist/bin/agentpair.js", import.meta.url));
const RUNS = Number(process.argv[2] ?? 15);
const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "agentpair-bench", version: "1.0.0" },
};

/** Milliseconds to each answer, for one process. */
async function start(dataDir) {
  const from = performance.now();
  // Nobody listens at that address: what is measured is the server, not a relay.
  const env = { ...process.env, AGENTPAIR_DATA_DIR: dataDir, AGENTPAIR_RELAY_URL: "http://127.0.0.1:9" };
  const server = spawn(process.execPath, [PROGRAM], { env, stdio: ["pipe", "pipe", "inherit"] });
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "initialize", params: HELLO });
  const times = {};
  for await (const line of createInterface({ input: server.stdout })) {
    const { id, result, error } = JSON.parse(line);
    if (error) throw new Error(error.message);
    if (id === 1) {
      times.initialize = performance.now() - from;
      send({ method: "notifications/initialized" });
      send({ id: 2, method: "tools/list", params: {} });
    } else if (id === 2) {
      times["tools/list"] = performance.now() - from;
      times.tools = result.tools.length;
      break;
    }
  }
  const gone = once(server, "exit");
  server.stdin.end();
  await gone;
  if (times.tools === undefined) throw new Error("the server ended without an answer");
  return times;
}

const scratch = mkdtempSync(join(tmpdir(), "agentpair-bench-"));
try {
  const runs = [];
  // The first makes the store, and the bytes are in no cache yet: it is not counted.
  for (let run = 0; run <= RUNS; run++) {
    const times = await start(join(scratch, "data"));
    if (run > 0) runs.push(times);
  }
  console.log(`MCP server, milliseconds from its start (median of ${RUNS} runs)`);
  for (const what of ["initialize", "tools/list"]) {
    const all = runs.map((times) => times[what]).sort((a, b) => a - b);
    const [fastest, slowest] = [all[0], all.at(-1)].map((ms) => ms.toFixed(0));
    console.log(`${what.padEnd(20)} ${median(all).toFixed(0).padStart(6)}   ${fastest} to ${slowest}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
