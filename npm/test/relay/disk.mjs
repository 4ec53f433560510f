// What a relay has on disk, read beside the running server: not what its answers say.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The database of every object that has one. */
export function databases(data) {
  const folder = join(data, "objects");
  if (!existsSync(folder)) return [];
  return (
    readdirSync(folder, { recursive: true })
      // The one named metadata is the local runtime's own list of alarms.
      .filter((file) => file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite"))
      .map((file) => join(folder, file))
  );
}

/**
 * Asks one database. The server may be removing it or its journal at this moment, for which SQLite has several words:
 * then it is asked again, a little later.
 */
export function ask(file, query, attempts = 50) {
  let database;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    return database.prepare(query).all();
  } catch (error) {
    if (!existsSync(file)) return [];
    if (error.code !== "ERR_SQLITE_ERROR" || attempts === 0) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  } finally {
    database?.close();
  }
  return ask(file, query, attempts - 1);
}

/** The relay's own tables in one database. */
export function tablesOf(file) {
  return ask(file, "SELECT name FROM sqlite_master WHERE type = 'table'")
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("_cf_") && !name.startsWith("sqlite_"));
}

/** The rows of a table, of all objects that have it. */
export function rowsOf(data, table) {
  return databases(data)
    .filter((file) => tablesOf(file).includes(table))
    .flatMap((file) => ask(file, `SELECT * FROM ${table}`));
}

/** The artifacts in the bucket: the local runtime keeps each in a file of its own. */
export function artifactsOf(data) {
  const folder = join(data, "artifacts");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith("blobs"))
    .map((entry) => join(entry.parentPath, entry.name));
}
