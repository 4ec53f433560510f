import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whatever runs something afterwards: a test, or `{ after }` of node:test for a whole file. */
export interface Afterwards {
  after(work: () => void | Promise<void>): void;
}

const directories: string[] = [];
// Not when the test ends: whoever writes there may still be at it, and a clean-up that fails keeps those after it from
// ending their processes.
process.once("exit", () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** A directory of its own for a test, removed at the end of the file. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "agentpair-test-"));
  directories.push(directory);
  return directory;
}
