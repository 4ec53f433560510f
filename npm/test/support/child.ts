import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { LIMIT_MS, within } from "./within.ts";

/** A process that runs a script of ./ and talks in messages. It does not outlive its test. */
export class Child {
  readonly process: ChildProcess;
  /** What it wrote to standard error. */
  errors = "";
  #heard: unknown[] = [];
  #wake = () => {};

  constructor(t: TestContext, script: string, ...parameters: string[]) {
    // For the warning about TypeScript; scripts that are none run as they would for a user.
    const execArgv = script.endsWith(".ts") ? ["--disable-warning=ExperimentalWarning"] : [];
    const file = new URL(script, import.meta.url);
    this.process = fork(file, parameters, { execArgv, stdio: ["ignore", "inherit", "pipe", "ipc"] });
    this.process.stderr?.setEncoding("utf8").on("data", (text) => {
      this.errors += text;
      this.#wake();
    });
    this.process.on("message", (message) => {
      this.#heard.push(message);
      this.#wake();
    });
    this.process.on("exit", () => this.#wake());
    t.after(() => this.kill());
  }

  /** Its next message. */
  hear<T>(): Promise<T> {
    return within(this.#next<T>(), "a word of a process", 2 * LIMIT_MS);
  }

  async #next<T>(): Promise<T> {
    while (this.#heard.length === 0) {
      if (this.isGone) throw new Error(`the process ended: ${this.errors}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#heard.shift() as T;
  }

  tell(message: unknown): void {
    this.process.send(message as object);
  }

  /** Asks, and hears the answer. */
  ask<T>(message: unknown): Promise<T> {
    this.tell(message);
    return this.hear<T>();
  }

  get isGone(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    if (this.isGone) return;
    const gone = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await gone;
  }

  /** Waits for its own end. Resolves with its exit code. */
  async end(): Promise<number | null> {
    if (!this.isGone) await once(this.process, "exit");
    return this.process.exitCode;
  }
}
