import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Host } from "agentpair";
import { codesIn } from "../../support/human.ts";
import { type Afterwards, scratch } from "../../support/scratch.ts";
import { LIMIT_MS } from "../../support/within.ts";

/** The command, as it is built. */
export const PROGRAM = join(import.meta.dirname, "../../../dist/bin/agentpair.js");

/** What a finished command left. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** What comes by standard input. */
  input?: string;
  env?: { [name: string]: string | undefined };
  cwd?: string;
  /** The exit code that is expected; 0 unless said otherwise. */
  code?: number;
}

/** Somebody who uses the command line: with a home, a data directory and a relay of their own. */
export class Owner {
  readonly home: string;
  readonly dataDir: string;
  readonly env: { [name: string]: string | undefined };
  readonly #t: Afterwards;

  constructor(t: Afterwards, relay: string | undefined, env: { [name: string]: string | undefined } = {}) {
    this.#t = t;
    this.home = scratch();
    this.dataDir = join(this.home, "data");
    this.env = {
      PATH: process.env.PATH,
      HOME: this.home,
      AGENTPAIR_DATA_DIR: this.dataDir,
      AGENTPAIR_RELAY_URL: relay,
      ...env,
    };
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const running = this.start(words, options);
    const finished = await running.end();
    assert.equal(
      finished.code,
      options.code ?? 0,
      `agentpair ${words.join(" ")}: ${finished.stdout}${finished.stderr}`,
    );
    return finished;
  }

  /** Runs a command with `--json`. Resolves with the values that it printed, one a line. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in there is asserted by the tests.
  async json(words: readonly string[], options: RunOptions = {}): Promise<any[]> {
    const { stdout } = await this.run(["--json", ...words], options);
    return jsonLines(stdout);
  }

  /** Starts a command that goes on. */
  start(words: readonly string[], { input, env, cwd }: RunOptions = {}): Running {
    const running = new Running(
      spawn(process.execPath, [PROGRAM, ...words], {
        cwd: cwd ?? this.home,
        env: { ...this.env, ...env },
        stdio: ["pipe", "pipe", "pipe"],
      }),
    );
    this.#t.after(() => running.kill());
    // Who needs nothing may be gone before it is written.
    running.process.stdin?.on("error", () => {}).end(input ?? "");
    return running;
  }

  /** Runs a script of bash to its end. */
  async shell(script: string): Promise<Finished> {
    const child = spawn("bash", ["-c", script], { cwd: this.home, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    const running = new Running(child);
    this.#t.after(() => running.kill());
    return running.end();
  }

  /** Starts a command in a terminal of its own: what is typed there is typed with {@link Running.type}. */
  inTerminal(words: readonly string[], env: { [name: string]: string | undefined } = {}): Running {
    const quoted = [process.execPath, PROGRAM, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const child = spawn("script", ["--quiet", "--return", "--command", quoted, "/dev/null"], {
      cwd: this.home,
      env: { ...this.env, TERM: "xterm", SHELL: "/bin/sh", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const running = new Running(child);
    this.#t.after(() => running.kill());
    return running;
  }

  /** The human reads a question's file and decides it. Waits until there is one of that kind. */
  async decide(kind: string, decision: "approve" | "reject" = "approve"): Promise<string> {
    mkdirSync(this.dataDir, { recursive: true });
    const host = await Host.open({ dataDir: this.dataDir, network: false });
    try {
      const look = async () => (await host.pendings()).find(({ subject }) => subject.kind === kind);
      const { id, place = "" } = await host.until(look, `a question: ${kind}`, { timeoutMs: LIMIT_MS });
      await host.decide(id, codesIn(place)[decision]);
      return id;
    } finally {
      await host.close();
    }
  }
}

/** A command that runs. */
export class Running {
  readonly process: ChildProcess;
  stdout = "";
  stderr = "";
  #wake = () => {};

  constructor(child: ChildProcess) {
    this.process = child;
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
        this.#wake();
      });
    }
    child.on("close", () => this.#wake());
  }

  /** Waits until what it printed matches. */
  async says(pattern: RegExp, stream: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    const limit = setTimeout(() => this.#wake(), LIMIT_MS);
    const end = Date.now() + LIMIT_MS;
    try {
      for (;;) {
        const found = pattern.exec(this[stream]);
        if (found) return found;
        if (this.isGone || Date.now() >= end) {
          throw new Error(`${pattern} was not said on ${stream}: ${this.stdout}${this.stderr}`);
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(limit);
    }
  }

  /** Waits for its end. */
  async end(): Promise<Finished> {
    const limit = setTimeout(() => this.process.kill("SIGKILL"), LIMIT_MS);
    try {
      if (!this.isGone) await once(this.process, "close");
      return { code: this.process.exitCode, stdout: this.stdout, stderr: this.stderr };
    } finally {
      clearTimeout(limit);
    }
  }

  /** Types, as a human does. */
  type(text: string): void {
    this.process.stdin?.write(text);
  }

  get isGone(): boolean {
    const { exitCode, signalCode, stdout } = this.process;
    return (exitCode !== null || signalCode !== null) && stdout?.closed !== false;
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await gone;
  }
}

/** JSON Lines. */
// biome-ignore lint/suspicious/noExplicitAny: what is in there is asserted by the tests.
export function jsonLines(text: string): any[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
