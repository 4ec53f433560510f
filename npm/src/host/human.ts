import type { Effect } from "../wasm/agentpair.js";

/** An item that waits for the human, with the codes that decide it. They exist nowhere else. */
export type Question = Extract<Effect, { effect: "ask_human" }>;

/** A channel to the human that no agent reads. */
export interface Human {
  /** Shows an item; if it is shown already, its old codes are void. */
  show(question: Question): void;
  /** Takes an item away, if it is there. */
  remove(pending: string): void;
  /** The items that are shown now. */
  shown(): string[];
  /** Where the human finds an item, in words, if that can be said. */
  place(pending: string): string | undefined;
}

/** Keeps the questions in memory: for tests, and for hosts with a screen of their own. */
export class QuestionList implements Human {
  /** What is shown now, by the id of the pending item. */
  readonly questions = new Map<string, Question>();

  show(question: Question): void {
    this.questions.set(question.pending.id, question);
  }

  remove(pending: string): void {
    this.questions.delete(pending);
  }

  shown(): string[] {
    return [...this.questions.keys()];
  }

  place(): undefined {}
}
