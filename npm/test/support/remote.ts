import type { TestContext } from "node:test";
import { AgentPairError, type Host, type OpenOptions, type PendingItem } from "agentpair";
import { Child } from "./child.ts";
import { codesIn } from "./human.ts";

/** The methods of a host that return promises. */
type Calls = {
  [name in keyof Host as Host[name] extends (...all: never[]) => Promise<unknown> ? name : never]: Host[name];
};
type Answer = { value: unknown } | { error: { code: string; message: string } };

/** A host in a process of its own, which can be killed and started again. */
export class Remote {
  readonly #t: TestContext;
  readonly #options: OpenOptions;
  #child: Child;
  #last: Promise<unknown> = Promise.resolve();

  constructor(t: TestContext, options: OpenOptions) {
    this.#t = t;
    this.#options = options;
    this.#child = this.#start();
  }

  #start(): Child {
    return new Child(this.#t, "./party.ts", JSON.stringify(this.#options));
  }

  /** The process's id. */
  get pid(): number | undefined {
    return this.#child.process.pid;
  }

  /** Kills the process, as a crash would, and starts another one on the same directory. */
  async crash(): Promise<void> {
    await this.kill();
    this.#child = this.#start();
  }

  /** Kills the process, as a crash would. */
  kill(): Promise<void> {
    return this.#child.kill();
  }

  /** Calls a method of the host; one call at a time. */
  call<N extends keyof Calls>(name: N, ...all: Parameters<Calls[N]>): Promise<Awaited<ReturnType<Calls[N]>>> {
    type Value = Awaited<ReturnType<Calls[N]>>;
    const result = this.#last.then(async (): Promise<Value> => {
      const answer = await this.#child.ask<Answer>({ name, all });
      if ("error" in answer) throw new AgentPairError(answer.error.code, "caller", answer.error.message);
      return answer.value as Value;
    });
    this.#last = result.catch(() => {});
    return result as Promise<Value>;
  }

  /** Asks again and again until there is something to see. */
  async until<T>(look: (host: this) => Promise<T | undefined>, what: string, timeoutMs = 60_000): Promise<T> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const seen = await look(this);
      if (seen !== undefined) return seen;
      if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Waits for a question, and approves it, as its human. */
  async approve(kind: string): Promise<PendingItem> {
    const find = async () => (await this.call("pendings")).find(({ subject }) => subject.kind === kind);
    const item = await this.until(find, `a question: ${kind}`);
    await this.call("decide", item.id, codesIn(item.place ?? "").approve);
    return item;
  }
}
