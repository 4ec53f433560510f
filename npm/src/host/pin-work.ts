import type { StoredRecord } from "../store/store.js";
import { type Command, type Decision, Engine } from "../wasm/agentpair.js";

/** The slow work with a PIN, on a copy of the state: for platforms that do it off the main thread. */
export interface PinWork {
  /** The proof that the human with this PIN decides so; nothing if the PIN is wrong, or the item does not wait. */
  prove(records: StoredRecord[], task: ProveTask): Promise<string | undefined>;
  /** The command that sets, changes or removes the PIN. */
  approver(records: StoredRecord[], pin: string | undefined, current: string | undefined): Promise<Command>;
}

/** What is to be proved: what a typed code stands for, or a decision as it was chosen on a screen. */
export interface ProveTask {
  pending: string;
  by: { code: string } | { decision: Decision };
  pin: string;
}

/** What {@link PinWork} does with copies of all records but the keys of bonds: no other key is needed. */
export function withoutKeys(records: StoredRecord[]): StoredRecord[] {
  return records.filter(({ key }) => !key.startsWith("secret") || key === "secret/root");
}

/** Slow and synchronous. */
export function prove(records: StoredRecord[], { pending, by, pin }: ProveTask): string | undefined {
  const engine = Engine.restore(records);
  // New codes for this copy of the state only: nobody sees them.
  const code = "code" in by ? by.code : freshCode(engine, pending, by.decision);
  return engine.prove(pending, code, pin);
}

/** Slow and synchronous. */
export function approverCommand(records: StoredRecord[], pin?: string, current?: string): Command {
  return Engine.restore(records).approverCommand(pin, current);
}

function freshCode(engine: Engine, pending: string, decision: Decision): string {
  const entropy = crypto.getRandomValues(new Uint8Array(32));
  engine.handle(Date.now(), entropy, { input: "command", command: { command: "reissue", pending } });
  return codeIn(engine.drain(), pending, decision);
}

/** The code that stands for a decision, among effects that ask for it. */
export function codeIn(effects: ReturnType<Engine["drain"]>, pending: string, decision: Decision): string {
  const asked = effects.find((effect) => effect.effect === "ask_human" && effect.pending.id === pending);
  if (asked?.effect !== "ask_human") return "";
  return decision === "approve" ? asked.approveCode : asked.rejectCode;
}
