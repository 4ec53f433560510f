import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { AgentPairError } from "../errors.js";

/**
 * Reads a file that the user named.
 *
 * @throws AgentPairError `file_failed`.
 */
export function readNamedFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw failed("read", path, error);
  }
}

/**
 * Writes a file that the user named, readable by its owner only. What is there already stays, unless `force`.
 *
 * @throws AgentPairError `file_exists`, `file_failed`.
 */
export function writeNewFile(path: string, content: string | Uint8Array, { force = false } = {}): void {
  // A full disk must not leave half a file, nor take the old one.
  const draft = force ? `${path}.${process.pid}.tmp` : path;
  try {
    writeFileSync(draft, content, { flag: "wx", mode: 0o600, flush: true });
    if (force) renameSync(draft, path);
  } catch (error) {
    if (force) rmSync(draft, { force: true });
    throw failed("write", path, error);
  }
}

/** A new file that is written piece by piece. */
export interface NewFile {
  write(text: string): void;
  /** It is whole: without this, closing removes it. */
  keep(): void;
  close(): void;
}

/**
 * Begins a new file, readable by its owner only.
 *
 * @throws AgentPairError `file_exists`, `file_failed`; its methods too.
 */
export function openNewFile(path: string): NewFile {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw failed("write", path, error);
    }
  };
  const file = guarded(() => openSync(path, "wx", 0o600));
  let isKept = false;
  return {
    write: (text) => guarded(() => writeFileSync(file, text)),
    keep: () => {
      isKept = true;
    },
    close: () => {
      closeSync(file);
      if (!isKept) rmSync(path, { force: true });
    },
  };
}

function failed(verb: "read" | "write", path: string, error: unknown): AgentPairError {
  const reasons: { [code: string]: string } = {
    ENOENT: verb === "read" ? "there is no such file" : "there is no such directory",
    EACCES: "its permissions do not allow it",
    EPERM: "its permissions do not allow it",
    EISDIR: "it is a directory",
    ENOSPC: "the disk is full",
    EROFS: "the disk is read-only",
  };
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "EEXIST") {
    return new AgentPairError(
      "file_exists",
      "caller",
      `${path} is there already: name another file, or remove it first`,
    );
  }
  return new AgentPairError("file_failed", "caller", `cannot ${verb} ${path}: ${reasons[code] ?? message}`, {
    cause: error,
  });
}
