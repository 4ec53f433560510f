import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whatever runs something afterwards: a test, or `{ after }` of node:test for a whole file. */
export interface Afterwards {
  after(work: () => void | Promise<void>): void;
}

/** A directory of its own for a test, removed after it. */
export function scratch(t: Afterwards): string {
  const directory = mkdtempSync(join(tmpdir(), "agentpair-test-"));
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}
