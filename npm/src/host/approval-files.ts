import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, writePrivateFile } from "../store/private-files.js";
import { approvalText } from "./approval-text.js";
import type { Human, Question } from "./human.js";

/** What a pending item may be called: nothing that leads out of the directory. */
const NAME = /^[A-Za-z0-9._-]+$/;

/** Shows each item as a file that only the owner can read, named after the pending item. */
export class ApprovalFiles implements Human {
  readonly #directory: string;

  constructor(dataDir: string) {
    this.#directory = join(dataDir, "approvals");
    makePrivateDirectory(this.#directory);
  }

  show(question: Question): void {
    writePrivateFile(this.place(question.pending.id), approvalText(question));
  }

  remove(pending: string): void {
    rmSync(this.place(pending), { force: true });
  }

  /** What somebody else has put there, such as a copy or a directory, is left alone. */
  shown(): string[] {
    const found = readdirSync(this.#directory, { withFileTypes: true });
    return found.filter((entry) => entry.isFile() && NAME.test(entry.name)).map(({ name }) => name);
  }

  place(pending: string): string {
    if (!NAME.test(pending)) throw new Error(`no file name: ${pending}`);
    return join(this.#directory, pending);
  }
}
