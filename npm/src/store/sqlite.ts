import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { AgentPairError } from "../errors.js";
import { loadSqlite } from "./node-sqlite.js";
import { makePrivateDirectory, makePrivateFile } from "./private-files.js";
import { corrupt, migrate } from "./schema.js";
import type { Lease, LogName, Store, StoredEntry, StoredRecord, Transaction } from "./store.js";

/** How long a transaction waits for that of another process, in milliseconds. */
const BUSY_MS = 10_000;
/** Deleted records that are worth the trouble of removing their traces. */
const TRACES = 1_000;

/** A store in one SQLite file, `agentpair.db`, shared by all processes that use its directory. */
export class SqliteStore implements Store {
  readonly self = `${hostname()}/${process.pid}/${randomUUID()}`;
  /** The database file. */
  readonly file: string;
  #database: DatabaseSync;
  #statements: ReturnType<typeof prepare>;

  private constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.file = file;
    this.#statements = prepare(database);
  }

  /**
   * Opens the store of a directory, or makes both.
   *
   * @throws AgentPairError `node_too_old`, `store_corrupt`, `store_too_new`, `store_not_private`, `store_failed`.
   */
  static async open(directory: string): Promise<SqliteStore> {
    const { DatabaseSync } = await loadSqlite();
    const file = join(directory, "agentpair.db");
    let database: DatabaseSync | undefined;
    try {
      makePrivateDirectory(directory);
      if (!existsSync(file) && existsSync(`${file}-wal`)) throw corrupt(file, "it is gone, but its journal is there");
      makePrivateFile(file);
      database = new DatabaseSync(file, { timeout: BUSY_MS });
      migrate(database, file);
      const store = new SqliteStore(database, file);
      store.#compact();
      return store;
    } catch (error) {
      database?.close();
      throw explain(error, file);
    }
  }

  async transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T> {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        const result = work(new SqliteTransaction(this.#statements, since));
        this.#database.exec("COMMIT");
        return result;
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
    } catch (error) {
      throw explain(error, this.file);
    }
  }

  async entries(log: LogName, after: number, limit: number): Promise<StoredEntry[]> {
    return this.#read(() =>
      this.#statements.entries.all(log, after, limit).map(({ n, value }) => ({
        log,
        n: Number(n),
        value: String(value),
      })),
    );
  }

  async version(): Promise<number> {
    return this.#read(() => Number(this.#statements.version.get()?.data_version));
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explain(error, this.file);
    }
  }

  isGone(owner: string): boolean {
    const [host, pid] = owner.split("/");
    // A process of another container cannot be seen from here: its lease has to run out.
    if (host !== hostname()) return false;
    try {
      process.kill(Number(pid), 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ESRCH";
    }
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  /** Removes the traces of deleted records when there are many. */
  #compact(): void {
    const { traces } = this.#database.prepare("SELECT count(*) AS traces FROM records WHERE value IS NULL").get() ?? {};
    if (Number(traces) < TRACES) return;
    this.#database.exec(
      `BEGIN IMMEDIATE;
       DELETE FROM records WHERE value IS NULL;
       UPDATE counters SET value = (SELECT value FROM counters WHERE name = 'revision') WHERE name = 'floor';
       COMMIT;`,
    );
  }
}

class SqliteTransaction implements Transaction {
  readonly revision: number;
  readonly isWhole: boolean;
  readonly changes: StoredRecord[];
  readonly lease: Lease | undefined;
  #statements: ReturnType<typeof prepare>;

  constructor(statements: ReturnType<typeof prepare>, since = Number.NaN) {
    this.#statements = statements;
    const counters = statements.counters.get();
    const last = Number(counters?.revision);
    this.revision = last + 1;
    this.isWhole = since === 0 || since < Number(counters?.floor) || since > last;
    const rows = this.isWhole ? statements.all.all() : since < last ? statements.since.all(since) : [];
    this.changes = rows.map(({ key, value }) => ({
      key: String(key),
      value: value === null ? undefined : String(value),
    }));
    const lease = statements.lease.get();
    this.lease = lease && { owner: String(lease.owner), until: Number(lease.until) };
  }

  issued(pending: string): number | undefined {
    const row = this.#statements.issued.get(pending);
    return row && Number(row.rev);
  }

  write(records: readonly StoredRecord[], entries: readonly StoredEntry[]): void {
    for (const { key, value } of records) this.#statements.put.run(key, value ?? null, this.revision);
    for (const { log, n, value } of entries) this.#statements.append.run(log, n, value);
    if (records.length > 0) this.#statements.advance.run(this.revision);
  }

  setLease(lease: Lease | undefined): void {
    if (lease) this.#statements.take.run(lease.owner, lease.until);
    else this.#statements.giveUp.run();
  }

  issue(pending: string): void {
    this.#statements.issue.run(pending, this.revision);
  }

  withdraw(pending: string): void {
    this.#statements.withdraw.run(pending);
  }
}

function prepare(database: DatabaseSync) {
  const counter = (name: string) => `(SELECT value FROM counters WHERE name = '${name}') AS ${name}`;
  const statement = (sql: string): StatementSync => database.prepare(sql);
  return {
    counters: statement(`SELECT ${counter("revision")}, ${counter("floor")}`),
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
  };
}

/** SQLite's errors, and those of the file system, in words. */
function explain(error: unknown, file: string): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  if (code === "corrupt_record") return corrupt(file, "a record cannot be read", error);
  if (error instanceof AgentPairError || (code !== "ERR_SQLITE_ERROR" && !isSystem(error))) return error;
  // The low byte is SQLite's primary code: 11 is a corrupt database, 26 no database at all.
  const primary = (errcode ?? 0) & 0xff;
  if (code === "ERR_SQLITE_ERROR" && (primary === 11 || primary === 26)) return corrupt(file, String(message), error);
  const text = `cannot use the store ${file}: ${message}`;
  return new AgentPairError("store_failed", "caller", text, { cause: error });
}

function isSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
