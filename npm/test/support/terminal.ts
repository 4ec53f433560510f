import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Afterwards } from "./scratch.ts";
import { LIMIT_MS } from "./within.ts";

/** A command on a terminal of its own, with a human who reads and types. It does not outlive its test. */
export class Terminal {
  readonly process: ChildProcess;
  /** All that was shown so far, as it came. */
  raw = "";
  #read = 0;
  #wake = () => {};

  constructor(t: Afterwards, words: readonly string[], env: NodeJS.ProcessEnv) {
    const command = [process.execPath, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    // Of util-linux: everything it starts has a terminal, wherever this test runs.
    this.process = spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
      env: { TERM: "xterm", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.raw += text;
      this.#wake();
    });
    this.process.on("close", () => this.#wake());
    t.after(() => this.kill());
  }

  /** What can be read, without colours and movements of the cursor. */
  get text(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with.
    return this.raw.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
  }

  /** Waits until something is shown after what was found before. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    const limit = setTimeout(() => this.#wake(), LIMIT_MS);
    const end = Date.now() + LIMIT_MS;
    try {
      for (;;) {
        const found = pattern.exec(this.text.slice(this.#read));
        if (found) {
          this.#read += found.index + found[0].length;
          return found;
        }
        if (this.#isGone || Date.now() >= end) throw new Error(`${pattern} was not shown: ${this.text}`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(limit);
    }
  }

  /** Types a line. */
  types(line: string): void {
    this.process.stdin?.write(`${line}\r`);
  }

  /** Waits for a question, and answers it. */
  async answers(question: RegExp, line: string): Promise<void> {
    await this.shows(question);
    this.types(line);
  }

  /** Types Ctrl-C. */
  interrupts(): void {
    this.process.stdin?.write("\u0003");
  }

  /** Waits for its own end. Resolves with its exit code. */
  async end(): Promise<number | null> {
    const limit = setTimeout(() => this.process.kill("SIGKILL"), LIMIT_MS);
    if (!this.#isGone) await once(this.process, "close");
    clearTimeout(limit);
    return this.process.exitCode;
  }

  get #isGone(): boolean {
    const { exitCode, signalCode, stdout } = this.process;
    return (exitCode !== null || signalCode !== null) && stdout?.closed !== false;
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, "exit");
    // Hangs the terminal up.
    this.process.kill("SIGTERM");
    await gone;
  }
}
