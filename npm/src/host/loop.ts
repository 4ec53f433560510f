import { AgentPairError, asAgentPairError } from "../errors.js";
import { Calls } from "../relay/calls.js";
import { Streams } from "../relay/streams.js";
import type { Store, StoredRecord, Transaction } from "../store/store.js";
import { type Effect, Engine, type HostKind, type Input, type Reply } from "../wasm/agentpair.js";
import { Alarm } from "./alarm.js";
import { Bell } from "./bell.js";
import type { Human, Question } from "./human.js";
import { LeaseKeeper } from "./lease.js";

/** What a host is made of. */
export interface LoopParts {
  /** Where its state is kept. */
  store: Store;
  /** How its human is asked. */
  human: Human;
  /** Whether this process may talk to relays, when no other process of the same store does. */
  network: boolean;
  /** Told of errors that no caller waits for. */
  onProblem: (error: AgentPairError) => void;
  /** What keeps the keys: peers are told. A process unless said otherwise. */
  kind?: HostKind;
}

/** What is done with the engine in one transaction; `handle` gives it an input. */
export type Work<T> = (engine: Engine, handle: (input: Input) => { reply: Reply; effects: Effect[] }) => T;

/** How often the store is asked whether another process has written, in milliseconds. */
const WATCH_MS = 100;
/** Pause after a failure of the store, in milliseconds. */
const RECOVERY_MS = 1_000;

/** Errors after which nothing can go on: neither the core nor the store would be what they were. */
const ENDS: ReadonlySet<string> = new Set(["panicked", "store_gone", "store_too_new"]);

/** The network lease went to another process while this one was not looking. */
class LeaseLost extends Error {}

/**
 * The only loop: inputs go into the engine one at a time, each in a transaction of the store; the effects that come
 * out are carried out in order once the transaction is durable.
 */
export class Loop {
  /** Rings after every change of the state, whichever process made it. */
  readonly bell = new Bell();
  readonly #parts: LoopParts;
  readonly #lease: LeaseKeeper;
  readonly #calls = new Calls((input) => this.#report(input));
  readonly #streams = new Streams((input) => this.#report(input));
  readonly #alarm = new Alarm(() => this.#report({ input: "tick" }));
  #engine: Engine | undefined;
  /** Whether the engine was told that it may use the network. */
  #isOnline = false;
  /** The last revision of the store that the engine knows. */
  #seen = 0;
  #version: number | undefined;
  /** Rises with each engine: what was meant for an earlier one is void. */
  #epoch = 0;
  /** Set once nothing can go on here: the protocol core has panicked, or the store is gone. */
  #end: AgentPairError | undefined;
  #wasEndTold = false;
  #queue: Promise<unknown> = Promise.resolve();
  #watch: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#lease = new LeaseKeeper(parts.store);
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Restores the engine, and begins. */
  async start(): Promise<void> {
    await this.step({ input: "tick" });
    await this.#enqueue(() => this.#tend());
    this.#watch = setTimeout(() => this.#watchOn(), WATCH_MS);
  }

  /** Hands one input to the engine. Resolves when its outcome is durable. */
  step(input: Input): Promise<Reply> {
    return this.#enqueue(() => this.#step(input));
  }

  /** Several inputs in one transaction. What `work` throws undoes them all. */
  act<T>(work: Work<T>): Promise<T> {
    const attempt = (): Promise<T> =>
      this.#act(work).catch((error) => {
        if (error instanceof LeaseLost) return attempt();
        throw error;
      });
    return this.#enqueue(attempt);
  }

  /** All live records, for slow work on a copy of the state. */
  records(): Promise<StoredRecord[]> {
    return this.#enqueue(() => this.#parts.store.transact(0, ({ changes }) => changes));
  }

  /** Looks at the state as the last process left it. */
  view<T>(look: (engine: Engine) => T): Promise<T> {
    return this.#enqueue(async () => look(await this.#catchUp()));
  }

  /** Ends it. What is under way on the network is dropped, and comes again at the next start. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#watch);
    await this.#queue;
    this.#alarm.stop();
    this.#discard();
    await this.#lease.release().catch((error) => {
      if (!this.#end) throw error;
    });
    await this.#parts.store.close();
    this.bell.ring();
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(hostClosed());
    if (this.#end) return Promise.reject(this.#end);
    const result = this.#queue.then(work).catch((error) => {
      throw this.#coded(error);
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  /** For inputs that nobody waits for. */
  #report(input: Input): void {
    if (this.#isClosed) return;
    const epoch = this.#epoch;
    this.#enqueue(async () => {
      if (epoch === this.#epoch) await this.#step(input);
    }).catch((error) => this.#complain(error));
  }

  /** Gives an error its code, and notices if it was the last one. */
  #coded(error: unknown): AgentPairError {
    const coded = asAgentPairError(error);
    if (ENDS.has(coded.code)) this.#end ??= coded;
    return coded;
  }

  #complain(error: AgentPairError): void {
    // The last one is told once, by whatever it was noticed.
    const isLast = error.code === this.#end?.code;
    if (this.#isClosed || (isLast && this.#wasEndTold)) return;
    this.#wasEndTold = isLast;
    this.#parts.onProblem(error);
  }

  /** Does what has to be done from time to time, again and again. */
  async #watchOn(): Promise<void> {
    let pause = WATCH_MS;
    try {
      await this.#enqueue(() => this.#tend());
    } catch (error) {
      this.#complain(asAgentPairError(error));
      pause = RECOVERY_MS;
    }
    if (this.#isClosed) return;
    if (this.#end) {
      this.#alarm.stop();
      this.#discard();
      this.bell.ring();
      // Another process of this store may do better.
      await this.#lease.release().catch(() => {});
    } else {
      this.#watch = setTimeout(() => this.#watchOn(), pause);
    }
  }

  async #step(input: Input): Promise<Reply> {
    try {
      return await this.#act((_, handle) => handle(input).reply);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return this.#step(input.input === "command" ? input : { input: "tick" });
    }
  }

  /** Runs `work` with the engine, in one transaction; carries out what came of it when that is durable. */
  async #act<T>(work: Work<T>): Promise<T> {
    const { store } = this.#parts;
    let wasRefused = false;
    try {
      const { result, effects, revision } = await store.transact(this.#seen, (transaction) => {
        const engine = this.#load(transaction);
        if (this.#isOnline && transaction.lease?.owner !== store.self) throw new LeaseLost();
        const effects: Effect[] = [];
        const handle = (input: Input) => {
          const entropy = crypto.getRandomValues(new Uint8Array(32));
          const reply = engine.handle(Date.now(), entropy, input);
          const fresh = engine.drain();
          effects.push(...fresh);
          return { reply, effects: fresh };
        };
        try {
          const result = work(engine, handle);
          return { result, effects, revision: write(transaction, effects) };
        } catch (error) {
          wasRefused = effects.length === 0 && isRefusal(error);
          throw error;
        }
      });
      this.#seen = revision;
      for (const effect of effects) await this.#carryOut(effect, revision);
      this.bell.ring();
      return result;
    } catch (error) {
      this.#coded(error);
      // After a refusal nothing has changed. After anything else the engine may be ahead of the store.
      if (!wasRefused) this.#discard();
      if (error instanceof LeaseLost) this.#lease.lost();
      throw error;
    }
  }

  /** Brings the engine to the state of the store. */
  #load({ changes, isWhole, revision }: Transaction): Engine {
    if (isWhole) this.#discard();
    if (!this.#engine) {
      this.#engine = Engine.restore(changes);
      this.#engine.setKind(this.#parts.kind ?? "process");
    } else if (changes.length > 0) this.#engine.apply(changes);
    this.#seen = revision - 1;
    return this.#engine;
  }

  #discard(): void {
    // After a panic the core cannot even be freed.
    if (this.#end?.code !== "panicked") this.#engine?.free();
    this.#engine = undefined;
    this.#isOnline = false;
    this.#seen = 0;
    this.#version = undefined;
    this.#epoch += 1;
    this.#calls.drop();
    this.#streams.drop();
  }

  /** What fails here fails for this effect alone: the step is durable, and its caller is told so. */
  async #carryOut(effect: Effect, revision: number): Promise<void> {
    try {
      switch (effect.effect) {
        case "call":
          return this.#calls.start(effect);
        case "open_stream":
          return this.#streams.open(effect);
        case "stream_send":
          return this.#streams.send(effect.stream, effect.text);
        case "close_stream":
          return this.#streams.close(effect.stream);
        case "ask_human":
          return await this.#ask(effect, revision);
        case "withdraw":
          return this.#parts.human.remove(effect.pending);
        case "wake_at":
          return this.#alarm.set(effect.at);
      }
    } catch (error) {
      this.#complain(asAgentPairError(error));
    }
  }

  /** Under the store's lock, since another process may have issued newer codes in the meantime. */
  #ask(question: Question, revision: number): Promise<void> {
    return this.#parts.store.transact(undefined, (transaction) => {
      if (transaction.issued(question.pending.id) === revision) this.#parts.human.show(question);
    });
  }

  /** Takes over what other processes wrote. */
  async #catchUp(): Promise<Engine> {
    const { store } = this.#parts;
    const version = await store.version();
    if (this.#engine && version === this.#version) return this.#engine;
    const seen = this.#seen;
    await store.transact(seen, (transaction) => this.#load(transaction));
    this.#version = version;
    if (this.#seen !== seen) {
      this.bell.ring();
      // Others may have left something to send.
      if (this.#isOnline) await this.#step({ input: "tick" });
    }
    return this.#engine ?? this.#catchUp();
  }

  /** What has to be done from time to time. */
  async #tend(): Promise<void> {
    await this.#catchUp();
    if (!this.#parts.network) return;
    await this.#lease.tend();
    if (this.#lease.holds && !this.#isOnline) {
      this.#isOnline = true;
      await this.#step({ input: "network", online: true });
      await this.#sweep();
    } else if (!this.#lease.holds && this.#isOnline) {
      this.#discard();
    }
  }

  /** Removes questions that nobody waits for, and asks anew what is not shown: its codes are lost. */
  async #sweep(): Promise<void> {
    const { store, human } = this.#parts;
    const missing = await store.transact(this.#seen, (transaction) => {
      const waiting = new Set(
        this.#load(transaction)
          .pendings()
          .map(({ id }) => id),
      );
      const shown = human.shown();
      for (const id of shown) if (!waiting.has(id)) human.remove(id);
      return [...waiting].filter((id) => !shown.includes(id));
    });
    for (const pending of missing) {
      await this.#step({ input: "command", command: { command: "reissue", pending } });
    }
  }
}

/** The error of whatever is asked of a host that was closed. */
export function hostClosed(): AgentPairError {
  return new AgentPairError("host_closed", "caller", "this host is closed");
}

/** Writes what a step has to persist. Returns the revision at which the store stands then. */
function write(transaction: Transaction, effects: readonly Effect[]): number {
  let revision = transaction.revision - 1;
  for (const effect of effects) {
    if (effect.effect === "persist") {
      transaction.write(effect.records, effect.entries);
      if (effect.records.length > 0) revision = transaction.revision;
    } else if (effect.effect === "ask_human") {
      transaction.issue(effect.pending.id);
    } else if (effect.effect === "withdraw") {
      transaction.withdraw(effect.pending);
    }
  }
  return revision;
}

/** Whether the engine said no, and stayed as it was. */
function isRefusal(error: unknown): boolean {
  const { blame } = asAgentPairError(error);
  return blame === "policy" || blame === "caller";
}
