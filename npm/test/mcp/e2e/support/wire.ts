import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { Afterwards } from "../../../support/scratch.ts";

/** The program of this tree. */
export const PROGRAM = join(import.meta.dirname, "../../../../dist/bin/agentpair.js");

/** Time for a server to end once its input has ended, in milliseconds. */
const END_MS = 10_000;

/** A JSON-RPC message, as far as the tests care. */
export interface Message {
  jsonrpc: "2.0";
  id?: string | number;
  method?: string;
  params?: { [name: string]: unknown };
  result?: { [name: string]: unknown };
  error?: { code: number; message: string };
}

/** Where a server runs, and on what. */
export interface Place {
  /** Its data directory. */
  dataDir: string;
  /** Base URL of its relay. */
  relay: string;
  /** Another program than the one of this tree. */
  program?: string;
  /** Further variables. */
  env?: { [name: string]: string };
}

/**
 * A server process and the pipe to it: a transport for either client. All that the server writes is kept, and whatever
 * is no line of JSON-RPC on its standard output fails the test.
 */
export class Wire {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** The messages that came from the server, in order. */
  readonly received: Message[] = [];
  /** Lines on standard output that are no JSON-RPC. */
  readonly stray: string[] = [];
  /** What the server wrote to standard error. */
  errors = "";
  /** Called with each message, before anybody else sees it. */
  spy: ((message: Message) => void) | undefined;
  readonly #place: Place;
  #process: ChildProcess | undefined;
  #gone: Promise<unknown> = Promise.resolve();
  #partial = "";
  #complained = () => {};

  constructor(t: Afterwards, place: Place) {
    this.#place = place;
    t.after(() => this.end());
  }

  /** The process's id. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const { dataDir, relay, program = PROGRAM, env } = this.#place;
    const own = { AGENTPAIR_DATA_DIR: dataDir, AGENTPAIR_RELAY_URL: relay, ...env };
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, ...own },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process = child;
    // `close`, not `exit`: all that it wrote has been read then.
    this.#gone = once(child, "close").then(() => this.#end());
    const text = new StringDecoder("utf8");
    child.stdout.on("data", (chunk) => this.#read(text.write(chunk)));
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      this.errors += chunk;
      this.#complained();
    });
    child.stdin.on("error", (error) => this.onerror?.(error));
    await once(child, "spawn");
  }

  #read(text: string): void {
    const lines = (this.#partial + text).split("\n");
    this.#partial = lines.pop() ?? "";
    for (const line of lines) {
      const message = messageIn(line);
      if (!message) {
        this.stray.push(line);
        continue;
      }
      this.received.push(message);
      this.spy?.(message);
      this.onmessage?.(message);
    }
  }

  #end(): void {
    if (this.#partial !== "") this.stray.push(this.#partial);
    this.#partial = "";
    this.onclose?.();
  }

  /** Waits until the server has written that to standard error. */
  async complaint(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.errors)) {
      await new Promise<void>((resolve) => {
        this.#complained = resolve;
      });
    }
  }

  async send(message: Message): Promise<void> {
    this.#process?.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Writes text as it is. */
  write(text: string): void {
    this.#process?.stdin?.write(text);
  }

  /** Ends the server's input, as a client does that goes. */
  async close(): Promise<void> {
    this.#process?.stdin?.end();
  }

  /** Kills the server at once. */
  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#gone;
    // The line that it was writing is cut: that is no stray output.
    if (this.stray.length === 1 && this.stray[0]?.startsWith('{"')) this.stray.pop();
  }

  /** Ends the server by ending its input, and fails if it stays or has written anything but JSON-RPC. */
  async end(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    child.stdin?.end();
    let isStuck = false;
    const patience = setTimeout(() => {
      isStuck = true;
      child.kill("SIGKILL");
    }, END_MS);
    await this.#gone;
    clearTimeout(patience);
    this.#process = undefined;
    if (isStuck) throw new Error("the server stayed although its input had ended");
    const [first] = this.stray;
    if (first !== undefined) throw new Error(`no JSON-RPC on standard output: ${JSON.stringify(first.slice(0, 200))}`);
  }
}

function messageIn(line: string): Message | undefined {
  try {
    const message = JSON.parse(line) as Message;
    const isCall = typeof message.method === "string";
    const isAnswer = message.result !== undefined || message.error !== undefined;
    return message.jsonrpc === "2.0" && isCall !== isAnswer ? message : undefined;
  } catch {
    return undefined;
  }
}
