// Child processes that do not outlive the demo.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const running = new Set();

function keep(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

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

/** Ends whatever still runs: asks first, then makes it. */
export async function stopAll() {
  await Promise.all(
    [...running].map(async (child) => {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await gone;
      clearTimeout(force);
    }),
  );
}
