import { type AgentPairError, asAgentPairError } from "../errors.js";
import type { Store, StoredRecord, Transaction } from "../store/store.js";
import { type Command, type Effect, Engine, type HostKind, type Input, type Reply } from "../wasm/agentpair.js";
import { Bell } from "./bell.js";
import { Effects } from "./effects.js";
import type { Human } from "./human.js";
import { isRefusal } from "./is-refusal.js";
import { LeaseKeeper } from "./lease.js";
import { persist } from "./persist.js";
import { Queue } from "./queue.js";

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
  readonly #queue: Queue;
  readonly #effects: Effects;
  #engine: Engine | undefined;
  /** Whether the engine was told that it may use the network. */
  #isOnline = false;
  /** Whether the questions were looked after since then. */
  #isSwept = false;
  /** The last revision of the store that the engine knows. */
  #seen = 0;
  #version: number | undefined;
  /** Rises with each engine: what was meant for an earlier one is void. */
  #epoch = 0;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#lease = new LeaseKeeper(parts.store);
    this.#queue = new Queue((error) => parts.onProblem(error));
    this.#effects = new Effects(parts.store, parts.human, (input) => this.#report(input));
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#queue.isClosed;
  }

  /** Restores the engine, and begins. */
  async start(): Promise<void> {
    await this.step({ input: "tick" });
    await this.#queue.add(() => this.#tend());
    this.#watch = setTimeout(() => this.#watchOn(), WATCH_MS);
  }

  /** Hands one input to the engine. Resolves when its outcome is durable. */
  step(input: Input): Promise<Reply> {
    return this.#queue.add(() => this.#step(input));
  }

  /** Hands one command to the engine. Resolves when its outcome is durable. */
  command(command: Command): Promise<Reply> {
    return this.step({ input: "command", command });
  }

  /** Several inputs in one transaction. What `work` throws undoes them all. */
  act<T>(work: Work<T>): Promise<T> {
    const attempt = (): Promise<T> =>
      this.#act(work).catch((error) => {
        if (error instanceof LeaseLost) return attempt();
        throw error;
      });
    return this.#queue.add(attempt);
  }

  /** All live records, for slow work on a copy of the state. */
  records(): Promise<StoredRecord[]> {
    return this.#queue.add(() => this.#parts.store.transact(0, ({ changes }) => changes));
  }

  /** Looks at the state as the last process left it. */
  view<T>(look: (engine: Engine) => T): Promise<T> {
    return this.#queue.add(async () => look(await this.#catchUp()));
  }

  /** Ends it. What is under way on the network is dropped, and comes again at the next start. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#watch);
    await this.#queue.close();
    this.#effects.stop();
    this.#discard();
    try {
      await this.#lease.release();
    } catch (error) {
      // Where the store is gone, nothing is left to be given up.
      if (!this.#queue.end) throw asAgentPairError(error);
    } finally {
      // Whatever fails: nobody shall wait for a host that has ended.
      await this.#parts.store.close().finally(() => this.bell.ring());
    }
  }

  /** For inputs that nobody waits for. */
  #report(input: Input): void {
    if (this.isClosed) return;
    const epoch = this.#epoch;
    const step = async () => {
      if (epoch === this.#epoch) await this.#step(input);
    };
    this.#queue.add(step).catch((error) => this.#queue.complain(error));
  }

  /** Does what has to be done from time to time, again and again. */
  async #watchOn(): Promise<void> {
    let pause = WATCH_MS;
    try {
      await this.#queue.add(() => this.#tend());
    } catch (error) {
      this.#queue.complain(error);
      pause = RECOVERY_MS;
    }
    if (this.isClosed) return;
    if (this.#queue.end) {
      this.#effects.stop();
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
          return { result, effects, revision: persist(transaction, effects) };
        } catch (error) {
          wasRefused = effects.length === 0 && isRefusal(asAgentPairError(error));
          throw error;
        }
      });
      this.#seen = revision;
      for (const effect of effects) await this.#carryOut(effect, revision);
      this.bell.ring();
      return result;
    } catch (error) {
      this.#queue.coded(error);
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
    if (this.#queue.end?.code !== "panicked") this.#engine?.free();
    this.#engine = undefined;
    this.#isOnline = false;
    this.#seen = 0;
    this.#version = undefined;
    this.#epoch += 1;
    this.#effects.drop();
  }

  /** What fails here fails for this effect alone: the step is durable, and its caller is told so. */
  async #carryOut(effect: Effect, revision: number): Promise<void> {
    await this.#effects.carryOut(effect, revision).catch((error) => this.#queue.complain(error));
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
    if (!this.#lease.holds) {
      if (this.#isOnline) this.#discard();
      return;
    }
    if (!this.#isOnline) {
      this.#isOnline = true;
      this.#isSwept = false;
      await this.#step({ input: "network", online: true });
    }
    if (this.#isSwept) return;
    await this.#sweep();
    this.#isSwept = true;
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
