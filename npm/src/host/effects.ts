import { Calls } from "../relay/calls.js";
import { Streams } from "../relay/streams.js";
import type { Store } from "../store/store.js";
import type { Effect, Input } from "../wasm/agentpair.js";
import { Alarm } from "./alarm.js";
import type { Human, Question } from "./human.js";

/** Carries out what the engine asks for: requests, streams, one alarm, questions to the human. */
export class Effects {
  readonly #store: Store;
  readonly #human: Human;
  readonly #calls: Calls;
  readonly #streams: Streams;
  readonly #alarm: Alarm;

  /** @param report is given what the engine has to know of them. */
  constructor(store: Store, human: Human, report: (input: Input) => void) {
    this.#store = store;
    this.#human = human;
    this.#calls = new Calls(report);
    this.#streams = new Streams(report);
    this.#alarm = new Alarm(() => report({ input: "tick" }));
  }

  /** Carries one out, of a step that is durable as this revision. */
  async carryOut(effect: Effect, revision: number): Promise<void> {
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
        return this.#ask(effect, revision);
      case "withdraw":
        return this.#human.remove(effect.pending);
      case "wake_at":
        return this.#alarm.set(effect.at);
    }
  }

  /** Drops what is under way on the network: nothing of it is reported. */
  drop(): void {
    this.#calls.drop();
    this.#streams.drop();
  }

  /** Drops the alarm too. */
  stop(): void {
    this.#alarm.stop();
    this.drop();
  }

  /** Under the store's lock, since another process may have issued newer codes in the meantime. */
  #ask(question: Question, revision: number): Promise<void> {
    return this.#store.transact(undefined, (transaction) => {
      if (transaction.issued(question.pending.id) === revision) this.#human.show(question);
    });
  }
}
