import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The statements of a store, prepared once. */
export type Statements = ReturnType<typeof prepare>;

/** Prepares the statements of a store. */
export function prepare(database: DatabaseSync) {
  const counter = (name: string) => `(SELECT value FROM counters WHERE name = '${name}') AS ${name}`;
  const statement = (sql: string): StatementSync => database.prepare(sql);
  return {
    counters: statement(`SELECT ${counter("revision")}, ${counter("floor")}, ${counter("vault")}`),
    advance: statement("UPDATE counters SET value = ? WHERE name = 'revision'"),
    all: statement("SELECT key, value FROM records WHERE value IS NOT NULL"),
    since: statement("SELECT key, value FROM records WHERE rev > ?"),
    put: statement("INSERT OR REPLACE INTO records (key, value, rev) VALUES (?, ?, ?)"),
    append: statement("INSERT INTO log (log, n, value) VALUES (?, ?, ?)"),
    entries: statement("SELECT n, value FROM log WHERE log = ? AND n > ? ORDER BY n LIMIT ?"),
    version: statement("PRAGMA data_version"),
    lease: statement("SELECT owner, until FROM lease"),
    take: statement("INSERT OR REPLACE INTO lease (only, owner, until) VALUES (1, ?, ?)"),
    giveUp: statement("DELETE FROM lease"),
    issued: statement("SELECT rev FROM issued WHERE pending = ?"),
    issue: statement("INSERT OR REPLACE INTO issued (pending, rev) VALUES (?, ?)"),
    withdraw: statement("DELETE FROM issued WHERE pending = ?"),
    vault: statement(`SELECT protection, about, ${counter("vault")} FROM vault`),
    keys: statement("SELECT key, value FROM records WHERE key GLOB 'secret*' AND value IS NOT NULL"),
    reseal: statement("UPDATE records SET value = ? WHERE key = ?"),
    protect: statement("UPDATE vault SET protection = ?, about = ?"),
    nextVault: statement("UPDATE counters SET value = value + 1 WHERE name = 'vault'"),
  };
}
