import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../scripts/local-relay.mjs";
import type { Between } from "./between.ts";
import { type Afterwards, scratch } from "./scratch.ts";
import { LIMIT_MS, within } from "./within.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/relay.mjs");

/** The real relay, in processes of its own. */
export class Relay {
  readonly url: string;
  #process: ChildProcess;

  private constructor(url: string, process: ChildProcess) {
    this.url = url;
    this.#process = process;
  }

  /** Starts one on a free port; it ends with the test, or the file. It can be reached through `proxies` too. */
  static async start(t: Afterwards, ...proxies: Between[]): Promise<Relay> {
    const port = await freePort();
    const hosts = [port, ...proxies.map(({ url }) => new URL(url).port)];
    const env = {
      ...process.env,
      PORT: String(port),
      DATA: scratch(),
      RELAY_HOSTS: hosts.map((port) => `127.0.0.1:${port}`).join(),
    };
    const child = spawn(process.execPath, [SCRIPT], { env, stdio: ["ignore", "pipe", "inherit"] });
    t.after(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await within(gone, "the end of the relay").finally(() => child.kill("SIGKILL"));
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /^AgentPair relay: (\S+)$/.exec(line) ?? [];
      if (!url) continue;
      for (const proxy of proxies) proxy.target = url;
      return new Relay(url, child);
    }
    throw new Error("the relay did not start");
  }

  /** Kills the server process, as a crash would. Its keeper starts another one on the same port and data. */
  async crash(): Promise<void> {
    const [victim] = childrenOf(this.#process.pid ?? 0, "workerd");
    if (victim === undefined) throw new Error("no workerd to kill");
    process.kill(victim, "SIGKILL");
    const end = Date.now() + LIMIT_MS;
    while (Date.now() < end) {
      const answer = await fetch(`${this.url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
      if (answer?.ok && !childrenOf(this.#process.pid ?? 0, "workerd").includes(victim)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("the relay did not come back");
  }
}

/** Process ids of the children of that name, as Linux tells them. */
function childrenOf(parent: number, name: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        // `pid (name) state ppid …`
        const [, found, ppid] = /^\d+ \((.*)\) \S+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return found === name && Number(ppid) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}
