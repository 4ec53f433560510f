import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Json } from "./agent.ts";

/** The value of a record of a host's database, as anybody reads it who has the file. */
export function record(dataDir: string, key: string): string | undefined {
  const database = new DatabaseSync(join(dataDir, "agentpair.db"), { timeout: 10_000 });
  try {
    const row = database.prepare("SELECT value FROM records WHERE key = ?").get(key);
    return row?.value === null || row?.value === undefined ? undefined : String(row.value);
  } finally {
    database.close();
  }
}

/** The keys of all records that begin so. */
export function keysUnder(dataDir: string, prefix: string): string[] {
  const database = new DatabaseSync(join(dataDir, "agentpair.db"), { timeout: 10_000 });
  try {
    const rows = database.prepare("SELECT key FROM records WHERE value IS NOT NULL AND substr(key, 1, ?) = ?");
    return rows.all(prefix.length, prefix).map(({ key }) => String(key));
  } finally {
    database.close();
  }
}

/** Writes a record past the host, as another process of the same user can. Running hosts take it over. */
export function overwrite(dataDir: string, key: string, value: string | null): void {
  const database = new DatabaseSync(join(dataDir, "agentpair.db"), { timeout: 10_000 });
  try {
    database.exec("BEGIN IMMEDIATE; UPDATE counters SET value = value + 1 WHERE name = 'revision'");
    database
      .prepare(
        "INSERT OR REPLACE INTO records (key, value, rev) SELECT ?, ?, value FROM counters WHERE name = 'revision'",
      )
      .run(key, value);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

/** Changes a record of JSON past the host. Returns its text before. */
export function edit(dataDir: string, key: string, change: (value: Json) => void): string {
  const before = record(dataDir, key);
  if (before === undefined) throw new Error(`no record ${key}`);
  const value = JSON.parse(before);
  change(value);
  overwrite(dataDir, key, JSON.stringify(value));
  return before;
}
