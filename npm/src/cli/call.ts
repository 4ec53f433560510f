import type { NodeHost, OpenOptions } from "../host/node-host.js";
import { interruption } from "./interruption.js";
import { jsonLine } from "./json.js";
import { Progress } from "./progress.js";
import { writeLine } from "./write.js";

/** Options that every verb takes, before or after its name. */
export interface GlobalOptions {
  /** JSON instead of words on standard output. */
  json?: boolean;
  /** Instead of `AGENTPAIR_DATA_DIR`. */
  dataDir?: string;
  /** Instead of `AGENTPAIR_RELAY_URL`. */
  relay?: string;
}

/** One use of a verb: its host, and its ways to speak. */
export class Call {
  /** Whether standard output shall be JSON, one value a line. */
  readonly json: boolean;
  /** Aborted by Ctrl-C and SIGTERM: hand it to whatever waits. */
  readonly signal: AbortSignal = interruption.signal;
  readonly #options: GlobalOptions;
  #host: Promise<NodeHost> | undefined;

  constructor(options: GlobalOptions) {
    this.#options = options;
    this.json = options.json ?? false;
  }

  /** Where and how the host is opened: what the command line says, else the environment decides. */
  get open(): OpenOptions {
    const { dataDir, relay } = this.#options;
    return { dataDir, relay };
  }

  /** Whether a human can be asked here: standard input and standard error are a terminal. */
  get isTerminal(): boolean {
    return process.stdin.isTTY === true && process.stderr.isTTY === true;
  }

  /** The host of the data directory: opened once, and closed after the verb. `network: false` for reads that need none. */
  host(options: OpenOptions = {}): Promise<NodeHost> {
    this.#host ??= this.#open(options);
    return this.#host;
  }

  async #open(options: OpenOptions): Promise<NodeHost> {
    const [{ Host }, { passphraseHere }] = await Promise.all([import("../node.js"), import("./passphrase.js")]);
    const onProblem = (error: Error) => this.say(`agentpair: ${error.message}`);
    return Host.open({ ...this.open, onProblem, passphrase: passphraseHere(this), ...options });
  }

  /**
   * Prints data on standard output: the value as one line of JSON, or the lines for humans. What a peer wrote is in
   * lines of `untrustedLines()`, everything else has gone through `printable()`.
   */
  print(value: unknown, lines: () => string | readonly string[]): void {
    const text = this.json ? [jsonLine(value)] : [lines()].flat();
    if (text.length > 0) Progress.interrupt(() => writeLine(process.stdout, text.join("\n")));
  }

  /** Says something to the human, on standard error. */
  say(...lines: string[]): void {
    Progress.interrupt(() => writeLine(process.stderr, lines.join("\n")));
  }

  /**
   * Does something that may take longer than a second, and tells so on a terminal: `what` and the seconds, or what a
   * function says.
   */
  progress<T>(what: string | (() => string), work: Promise<T>): Promise<T> {
    return Progress.during(what, work);
  }

  /** Closes the host. */
  async end(): Promise<void> {
    await (await this.#host?.catch(() => undefined))?.close();
  }
}
