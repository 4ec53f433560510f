import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, writePrivateFile } from "../store/private-files.js";
import { approvalText } from "./approval-text.js";
import type { Human, Question } from "./human.js";

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

  shown(): string[] {
    return readdirSync(this.#directory);
  }

  place(pending: string): string {
    if (!/^[A-Za-z0-9._-]+$/.test(pending)) throw new Error(`no file name: ${pending}`);
    return join(this.#directory, pending);
  }
}
