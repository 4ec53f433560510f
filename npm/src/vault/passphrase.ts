import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { AgentPairError } from "../errors.js";
import { normal, PASSPHRASE_BYTES } from "./new-passphrase.js";

/**
 * Where a passphrase comes from. Called again, with 1, 2, …, after a wrong one; nothing ends it.
 */
export type PassphraseSource = (attempt: number) => Promise<string | undefined>;

/** The file that `AGENTPAIR_PASSPHRASE_FILE` names, if it names one. */
export function passphraseFromEnvironment(): PassphraseSource | undefined {
  const path = process.env.AGENTPAIR_PASSPHRASE_FILE;
  return path ? passphraseFromFile(path) : undefined;
}

/** A file, read when it is needed. */
export function passphraseFromFile(path: string): PassphraseSource {
  return async (attempt) => (attempt === 0 ? readPassphraseFile(path) : undefined);
}

/**
 * Reads a passphrase: the first line of a file that only its owner can read.
 *
 * @throws AgentPairError `passphrase_file_failed`, `passphrase_file_not_private`.
 */
export function readPassphraseFile(path: string): string {
  const bytes = Buffer.alloc(PASSPHRASE_BYTES + 1);
  let length = 0;
  try {
    const file = openSync(path, "r");
    try {
      // What was opened is what is looked at, whatever happens to the name meanwhile.
      mustBePrivate(file, path);
      length = readSync(file, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (cause instanceof AgentPairError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AgentPairError("passphrase_file_failed", "caller", `cannot read the passphrase file ${path}: ${why}`, {
      cause,
    });
  }
  if (length > PASSPHRASE_BYTES) throw failed(path, `it has more than ${PASSPHRASE_BYTES} bytes`);
  const [line = "", ...rest] = bytes.subarray(0, length).toString("utf8").split(/\r?\n/);
  bytes.fill(0);
  if (rest.some((more) => more !== "")) throw failed(path, "it has more than one line");
  if (line === "") throw failed(path, "it is empty");
  return normal(line);
}

function mustBePrivate(file: number, path: string): void {
  // Windows has no such bits.
  if (process.platform === "win32") return;
  const { mode, uid } = fstatSync(file);
  const isOwn = uid === process.getuid?.() || uid === 0;
  if ((mode & 0o077) === 0 && isOwn) return;
  const text = `others can read the passphrase file ${path}: make it yours alone (chmod 600), and choose another passphrase if somebody may have read it`;
  throw new AgentPairError("passphrase_file_not_private", "caller", text);
}

function failed(path: string, why: string): AgentPairError {
  const text = `the passphrase file ${path} cannot be used: ${why}; it holds the passphrase as its only line`;
  return new AgentPairError("passphrase_file_failed", "caller", text);
}
