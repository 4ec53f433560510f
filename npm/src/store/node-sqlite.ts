import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { AgentPairError } from "../errors.js";

const FLOOR = [22, 13] as const;

/**
 * Loads Node's own SQLite, without its warning about being experimental: that would be the first thing a user sees.
 *
 * @throws AgentPairError `node_too_old`.
 */
export async function loadSqlite(): Promise<typeof import("node:sqlite")> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1])) {
    const text = `AgentPair needs Node.js ${FLOOR.join(".")} or newer; this is ${process.versions.node}`;
    throw new AgentPairError("node_too_old", "caller", text);
  }
  const emitWarning = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) {
      (emitWarning as (...all: unknown[]) => void).call(process, warning, ...rest);
    }
  }) as typeof process.emitWarning;
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** How long a process may have to wait for others, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * Opens a database file. What another process keeps locked is waited for, `patienceMs` at most.
 *
 * Not by the option `timeout`, which Node has since 22.16 only; and neither `isOpen` nor `isTransaction` is there yet.
 */
export async function openDatabase(
  file: string,
  { readOnly = false, patienceMs = PATIENCE_MS }: { readOnly?: boolean; patienceMs?: number } = {},
): Promise<DatabaseSync> {
  const { DatabaseSync } = await loadSqlite();
  const database = new DatabaseSync(file, { readOnly });
  database.exec(`PRAGMA busy_timeout = ${patienceMs}`);
  return database;
}

/**
 * Lets several processes use a database at once. Two that do this at the same moment are in each other's way, and SQLite
 * waits for neither.
 */
export async function share(database: DatabaseSync): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; await setTimeout(5 + Math.random() * 10)) {
    try {
      return database.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      // The low byte is SQLite's primary code: 5 is busy.
      const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
      if (!isBusy || Date.now() > end) throw error;
    }
  }
}

/** Undoes what was begun, if SQLite has not done so by itself. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There was nothing to undo.
  }
}
