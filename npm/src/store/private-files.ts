import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AgentPairError } from "../errors.js";

const DIRECTORY = 0o700;
const FILE = 0o600;

/**
 * Makes a directory that only its owner can enter, or closes it to others if it exists.
 *
 * @throws AgentPairError `store_not_private` if others can enter it and that cannot be changed.
 */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY });
  close(path, DIRECTORY);
}

/** Makes a file that only its owner can read, or closes it to others if it exists. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, "a", FILE));
  close(path, FILE);
}

/** Replaces a file at once, so that no reader ever sees half of it. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  const file = openSync(draft, "w", FILE);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

function close(path: string, mode: number): void {
  // Windows has no such bits: there, the user's profile is private by itself.
  if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode);
  } catch (cause) {
    const where = dirname(path);
    const text = `others can read ${path}, and its mode cannot be changed: use a data directory of your own instead of ${where}`;
    throw new AgentPairError("store_not_private", "caller", text, { cause });
  }
}
