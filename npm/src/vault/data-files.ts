import { closeSync, existsSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentPairError, asAgentPairError } from "../errors.js";
import { databaseOf } from "../store/sqlite.js";

/** The page that leads a browser to the approval page, in the data directory: see ../approve/. */
export const OPENER = "open-approvals.html";
/** What a restore is making, in the data directory: it lasts no longer than that. */
export const DRAFT = "restore-draft";

/** All that is ours in a data directory; `approvals` and the draft are directories. */
export function ownFiles(directory: string): string[] {
  const database = databaseOf(directory);
  const journals = ["-wal", "-shm", "-journal"].map((ending) => database + ending);
  return [database, ...journals, ...["approvals", OPENER, DRAFT].map((name) => join(directory, name))];
}

/** The names of whatever else lies in a data directory. */
export function foreignFiles(directory: string): string[] {
  const own = ownFiles(directory);
  return readdirSync(directory).filter((name) => !own.includes(join(directory, name)));
}

/** Whether there is a store in a directory. */
export function hasStore(directory: string): boolean {
  return existsSync(databaseOf(directory));
}

/** @throws AgentPairError `no_store`. */
export function mustHaveStore(directory: string): void {
  if (hasStore(directory)) return;
  throw new AgentPairError("no_store", "caller", `there is no AgentPair in ${directory}: is the data directory right?`);
}

/**
 * Gives a finished file its name, unless something has that name.
 *
 * @throws AgentPairError `file_exists`.
 */
export function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
    rmSync(draft);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || existsSync(path)) throw fileExists(path);
    // A stick whose file system knows no links.
    renameSync(draft, path);
  }
  syncDirectory(dirname(path));
}

export function fileExists(path: string): AgentPairError {
  return new AgentPairError("file_exists", "caller", `${path} is there already: name another file`);
}

/** An error of the file system, in words. `what` is such as "write the backup". */
export function fileFailed(what: string, path: string, cause: unknown): AgentPairError {
  const { code = "", message, syscall } = cause as NodeJS.ErrnoException;
  if (syscall === undefined) return asAgentPairError(cause);
  const reasons: { [code: string]: string } = {
    ENOENT: "there is no such file or directory",
    EACCES: "its permissions do not allow it",
    EPERM: "its permissions do not allow it",
    EISDIR: "it is a directory",
    ENOTDIR: "a part of the path is no directory",
    ENOSPC: "the disk is full",
    EROFS: "the disk is read-only",
  };
  return new AgentPairError("file_failed", "caller", `cannot ${what} ${path}: ${reasons[code] ?? message}`, { cause });
}

/** Makes the names in a directory durable. Not every system can. */
function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, "r");
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch {}
}
