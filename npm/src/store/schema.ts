import type { DatabaseSync } from "node:sqlite";
import { AgentPairError } from "../errors.js";
import { rollBack, share } from "./node-sqlite.js";

/** Marks the file as ours: "AgPr". */
const APPLICATION_ID = 0x41675072;

/** Each entry takes the schema one version further. Entries are never changed, only added. */
const MIGRATIONS: readonly string[] = [
  // `revision` is that of the last transaction that wrote records. Deletions up to `floor` have left no trace:
  // whoever has seen less than that starts again from all records.
  `CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
   INSERT INTO counters VALUES ('revision', 0), ('floor', 0);
   CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT, rev INTEGER NOT NULL) STRICT;
   CREATE INDEX records_by_rev ON records (rev);
   CREATE TABLE log (log TEXT NOT NULL, n INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (log, n)) STRICT;
   CREATE TABLE lease (only INTEGER PRIMARY KEY CHECK (only = 1), owner TEXT NOT NULL, until INTEGER NOT NULL) STRICT;
   CREATE TABLE issued (pending TEXT PRIMARY KEY, rev INTEGER NOT NULL) STRICT;`,
  // How the records that hold keys are sealed; the counter rises when that changes. The triggers hold even for a
  // process that has not noticed: a store with a vault takes no plain key.
  `INSERT INTO counters VALUES ('vault', 0);
   CREATE TABLE vault (only INTEGER PRIMARY KEY CHECK (only = 1), protection TEXT NOT NULL, about TEXT) STRICT;
   INSERT INTO vault VALUES (1, 'file', NULL);
   ${["INSERT", "UPDATE"]
     .map(
       (act) => `CREATE TRIGGER no_plain_key_by_${act.toLowerCase()} BEFORE ${act} ON records
                 WHEN NEW.key GLOB 'secret*' AND NEW.value NOT GLOB 'sealed1:*'
                   AND (SELECT protection FROM vault) <> 'file'
                 BEGIN SELECT RAISE(ABORT, 'a plain key in a store whose keys are sealed'); END;`,
     )
     .join("\n")}`,
];

/**
 * Brings a database to the newest schema; a new one from nothing. A damaged one is left as it is.
 *
 * @throws AgentPairError `store_corrupt` or `store_too_new`.
 */
export async function migrate(database: DatabaseSync, file: string): Promise<void> {
  // In one transaction, so that a database that another process makes at this moment is seen empty or whole.
  database.exec("BEGIN");
  check(database, file);
  database.exec("COMMIT");
  await share(database);
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA trusted_schema = OFF");
  database.exec("BEGIN IMMEDIATE");
  try {
    // Read again, under the lock: another process may have done it in the meantime.
    for (const step of MIGRATIONS.slice(pragma(database, "user_version"))) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Only reads: whatever is wrong, nothing may be changed yet. */
function check(database: DatabaseSync, file: string): void {
  const version = pragma(database, "user_version");
  if (version > 0 && !isOurs(database)) throw corrupt(file, "it is the database of something else");
  if (version > MIGRATIONS.length) {
    const text = `${file} was written by a newer AgentPair: update this one to use it`;
    throw new AgentPairError("store_too_new", "caller", text);
  }
  const found = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (found !== "ok") throw corrupt(file, String(found).split("\n").at(-1) ?? "");
  if (version === 0 && tables(database) > 0) throw corrupt(file, "it holds the tables of something else");
}

/** Whether a database is a store of AgentPair. */
export function isOurs(database: DatabaseSync): boolean {
  return pragma(database, "application_id") === APPLICATION_ID;
}

/** Says that a store cannot be trusted, and what to do. */
export function corrupt(file: string, why: string, cause?: unknown): AgentPairError {
  const text = `the store ${file} is damaged (${why}): nothing was changed; restore it from a backup, or move its directory away to start anew with new keys`;
  return new AgentPairError("store_corrupt", "bug", text, { cause });
}

function pragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function tables(database: DatabaseSync): number {
  return Number(database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n);
}
