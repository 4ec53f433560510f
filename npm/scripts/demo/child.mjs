// Child processes that do not outlive the demo.
import { fork, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { keep } from "../children.mjs";

/** Starts a relay on a free port, with its data in a directory. Resolves with its base URL. */
export async function startRelay(script, data) {
  const env = { ...process.env, PORT: "0", DATA: data };
  const child = keep(spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] }));
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^AgentPair relay: (\S+)$/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error("the relay did not start");
}

/** Starts an agent, in a process of its own. */
export function startAgent(script, ...parameters) {
  return keep(fork(script, parameters, { stdio: ["ignore", "inherit", "inherit", "ipc"] }));
}
