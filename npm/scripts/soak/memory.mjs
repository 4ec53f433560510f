// How much memory processes gain while they run.
import { memoryOf } from "./processes.mjs";

export class Memory {
  #seen = new Map();
  #most = new Map();

  /** Looks at a process. What it holds when it has settled is what its growth is measured from. */
  sample(kind, pid, settledMs) {
    const mib = pid === undefined ? undefined : memoryOf(pid);
    if (mib === undefined || Number.isNaN(mib)) return;
    const seen = this.#seen.get(pid) ?? { since: Date.now(), first: undefined };
    this.#seen.set(pid, seen);
    const age = Date.now() - seen.since;
    if (age < settledMs) return;
    seen.first ??= mib;
    const most = this.#most.get(kind) ?? { mib: 0, growth: 0, seconds: 0 };
    most.mib = Math.max(most.mib, Math.round(mib));
    most.growth = Math.max(most.growth, Math.round(mib - seen.first));
    most.seconds = Math.max(most.seconds, Math.round(age / 1_000));
    this.#most.set(kind, most);
  }

  /** By kind: the most that one held, the most that one gained once it had settled, and the longest that one lived. */
  get summary() {
    return Object.fromEntries(this.#most);
  }
}
