import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A directory of its own for a test, removed after it. */
export function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "agentpair-test-"));
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}
