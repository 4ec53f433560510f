// The processes of the soak: what they are, and how much memory they hold. Linux only, as killing workerd by its own
// id is.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { keep } from "../children.mjs";

/** Resident memory of a process in MiB; nothing if it is gone. */
export function memoryOf(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

function childOf(parent, name) {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .find((pid) => {
      try {
        // `pid (name) state ppid …`
        const [, found, ppid] = /^\d+ \((.*)\) [^Z] (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return found === name && Number(ppid) === parent;
      } catch {
        return false;
      }
    });
}

/** The real relay, whose server dies now and then. */
export class Relay {
  kills = 0;
  #keeper;

  static async start(data) {
    const relay = new Relay();
    const env = { ...process.env, PORT: "0", DATA: data };
    const script = join(import.meta.dirname, "../relay.mjs");
    relay.#keeper = keep(spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "ignore"] }));
    for await (const line of createInterface({ input: relay.#keeper.stdout })) {
      [, relay.url] = /^AgentPair relay: (\S+)$/.exec(line) ?? [];
      if (relay.url) return relay;
    }
    throw new Error("the relay did not start");
  }

  /** The server process. */
  get pid() {
    return childOf(this.#keeper.pid, "workerd");
  }

  /** Kills the server. Its keeper starts another one, on the same port and data. */
  async kill() {
    const victim = this.pid;
    if (victim === undefined) return;
    process.kill(victim, "SIGKILL");
    this.kills += 1;
    for (;;) {
      const answer = await fetch(`${this.url}/health`).catch(() => undefined);
      if (answer?.ok && this.pid !== victim) return;
      await pause(50);
    }
  }
}

/** The process that held the call is gone: whether it was done is not known. */
export class Gone extends Error {}

/** A host in a process of its own, which dies now and then. */
export class Host {
  kills = 0;
  #arguments;
  #child;
  #calls = new Map();
  #count = 0;

  constructor(name, dataDir, relay) {
    this.name = name;
    this.#arguments = [name, dataDir, relay];
  }

  get pid() {
    return this.#child.pid;
  }

  async start() {
    const script = join(import.meta.dirname, "host.mjs");
    const child = keep(fork(script, this.#arguments, { stdio: ["ignore", "inherit", "inherit", "ipc"] }));
    const calls = new Map();
    child.on("message", ({ call, value, error }) => {
      const found = calls.get(call);
      calls.delete(call);
      if (error) found?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else found?.resolve(value);
    });
    child.once("exit", () => {
      for (const { reject } of calls.values()) reject(new Gone(this.name));
      calls.clear();
    });
    this.#child = child;
    this.#calls = calls;
    await this.call("me");
  }

  async kill() {
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
    this.kills += 1;
    await this.start();
  }

  /** Calls a method of the host. */
  call(name, ...all) {
    if (!this.#child.connected) return Promise.reject(new Gone(this.name));
    const call = this.#count++;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      this.#child.send({ call, name, all }, (error) => {
        if (error) reject(new Gone(this.name));
      });
    });
  }

  /** Approves a question, if there is one of that kind: reads the host's approval file, as its human would. */
  async approve(kind) {
    const item = (await this.call("pendings")).find(({ subject }) => subject.kind === kind);
    if (!item) return;
    const [, code] = /^approve: +(\d{6})$/m.exec(readFileSync(item.place, "utf8"));
    await this.call("decide", item.id, code);
  }
}
