import { AgentPairError, type BaseHost, type BondView } from "../node.js";
import { tail } from "./feed.js";

/** Own messages on a bond, since its human last decided something, after which the human is asked. */
export const BRAKE_AT = 60;
/** Messages of a thread that a new one is compared with. */
const COMPARED = 6;
/** Entries of the feed that are looked through for them. */
const LOOKED_AT = 64;
/** Threads whose own messages are remembered. */
const THREADS = 256;

/** What this process said last on each thread: the feed holds a peer's words only. */
export class Said {
  readonly #threads = new Map<string, { at: number; words: string }[]>();

  /** Remembers an own message. */
  add(bond: string, thread: string, body: string): void {
    const key = `${bond} ${thread}`;
    const said = this.#threads.get(key) ?? [];
    said.push({ at: Date.now(), words: wordsOf(body) });
    this.#threads.delete(key);
    this.#threads.set(key, said.slice(-COMPARED));
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > THREADS && oldest !== undefined) this.#threads.delete(oldest);
  }

  /** The last own messages on a thread. */
  on(bond: string, thread: string): readonly { at: number; words: string }[] {
    return this.#threads.get(`${bond} ${thread}`) ?? [];
  }
}

/** A text without what does not change its meaning: case, punctuation, spaces. A text of signs alone stays. */
function wordsOf(text: string): string {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words === "" ? text.trim() : words;
}

/**
 * Refuses what would only keep two agents busy with each other.
 *
 * @throws AgentPairError `no_new_content`; `loop_brake` once the human is asked whether the agent may go on.
 */
export async function mayWrite(host: BaseHost, bond: BondView, thread: string | undefined, body: string, said: Said) {
  if (bond.isBraked) throw braked();
  if (bond.unattended >= BRAKE_AT) {
    await host.brake(bond.id, `${bond.unattended} messages were sent without a decision of yours in between`);
    throw braked();
  }
  if (thread === undefined) return;
  const recent = [...said.on(bond.id, thread)];
  for await (const { at, event } of tail(host, LOOKED_AT)) {
    const isOfThread = event.event === "message" && event.bond === bond.id && event.thread === thread;
    if (isOfThread) recent.push({ at, words: wordsOf(event.body) });
  }
  recent.sort((one, other) => one.at - other.at);
  const words = wordsOf(body);
  if (!recent.slice(-COMPARED).some((earlier) => earlier.words === words)) return;
  const text = "this was said on that thread just now: say something new, or end with close, or say nothing";
  throw new AgentPairError("no_new_content", "policy", text);
}

function braked(): AgentPairError {
  const text = "you wrote a lot without a decision of your human: you may go on only when they say so";
  return new AgentPairError("loop_brake", "policy", text);
}
