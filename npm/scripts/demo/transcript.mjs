// Who did what, and why: on the screen as it happens, and in a file at the end.
import { writeFileSync } from "node:fs";

const started = Date.now();

export class Transcript {
  #lines = [];

  /** One line. */
  add(who, what, why) {
    const ms = Date.now() - started;
    this.#lines.push({ ms, who, what, why });
    const seconds = (ms / 1000).toFixed(1).padStart(5);
    console.log(`${seconds} s  ${who.padEnd(13)} ${what}${why ? `  (${why})` : ""}`);
  }

  /** Writes the lines, and what came of it. */
  save(file, outcome) {
    const text = JSON.stringify({ lines: this.#lines, ...outcome }, null, 2);
    writeFileSync(file, `${text}\n`);
  }
}
