import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";

const PROGRAM = resolve(import.meta.dirname, "../../../npm/dist/bin/agentpair.js");
const LIMIT_MS = 60_000;

/** Runs the command `agentpair` on a data directory. Resolves with what it printed; rejects if it failed. */
export async function agentpair(dataDir: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, AGENTPAIR_DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env, timeout: LIMIT_MS });
  return stdout;
}

/** The secret texts in a data directory whose keys lie in its file. */
export function keysIn(dataDir: string): Buffer[] {
  const database = new DatabaseSync(resolve(dataDir, "agentpair.db"), { readOnly: true });
  try {
    const query = "SELECT value FROM records WHERE key LIKE 'secret%' AND value IS NOT NULL";
    const values = database
      .prepare(query)
      .all()
      .map(({ value }) => String(value));
    return values.flatMap((value) => value.match(/[A-Za-z0-9_-]{20,}/g) ?? []).map((text) => Buffer.from(text));
  } finally {
    database.close();
  }
}
