import { closeSync, existsSync, fsyncSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { SqliteStore, type StoreOptions } from "../store/sqlite.js";
import { BackupReader, BackupWriter } from "./backup-format.js";
import { type BackupCounts, type BackupHead, partsOf, writeLines } from "./backup-lines.js";
import { fileExists, fileFailed, mustHaveStore, publish } from "./data-files.js";
import { newPassphrase, normal } from "./new-passphrase.js";
import { stretched } from "./stretch.js";

/** What a backup holds. */
export interface BackupDone extends BackupCounts {
  /** Size of the file, in bytes. */
  bytes: number;
  /** ISO 8601. */
  createdAt: string;
}

/**
 * Writes everything of a data directory as it is at one moment into a new file that only its owner can read, sealed
 * under a passphrase. Others may go on using the directory. The file is read again before it gets its name.
 *
 * @param options open the store.
 * @throws AgentPairError `no_store`, `file_exists`, `file_failed`, `invalid_argument` for a passphrase that is too short,
 * and what `SqliteStore.open` throws.
 */
export async function backup(
  directory: string,
  path: string,
  passphrase: string,
  options: StoreOptions = {},
): Promise<BackupDone> {
  const chosen = newPassphrase(passphrase);
  mustHaveStore(directory);
  if (existsSync(path)) throw fileExists(path);
  const store = await SqliteStore.open(directory, options);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const createdAt = new Date().toISOString();
    const { protection } = await store.protection();
    const head: BackupHead = {
      agentpair: "backup",
      v: 1,
      created_at: createdAt,
      protection,
    };
    const snapshot = await store.snapshot();
    try {
      const file = openSync(draft, "wx", 0o600);
      try {
        const writer = await BackupWriter.begin((bytes) => writeAll(file, bytes), chosen, stretched);
        const counts = await writeLines(writer, head, snapshot.records(), snapshot.entries(), breathe);
        fsyncSync(file);
        await readBack(draft, chosen);
        publish(draft, path);
        return { createdAt, bytes: writer.written, ...counts };
      } finally {
        closeSync(file);
      }
    } finally {
      snapshot.end();
    }
  } catch (error) {
    throw fileFailed("write the backup", path, error);
  } finally {
    rmSync(draft, { force: true });
    await store.close();
  }
}

/** A backup that cannot be read is found now, not when it is needed. */
async function readBack(path: string, passphrase: string): Promise<void> {
  const opened = await openBackup(path, passphrase);
  try {
    for await (const _ of partsOf(opened.reader.pieces(), path));
  } finally {
    opened.end();
  }
}

/** An open backup. It has to be ended, once. */
export interface OpenBackup {
  reader: BackupReader;
  end(): void;
}

/** Opens a backup. @throws AgentPairError `file_failed`, `no_backup`, `backup_too_new`. */
export async function openBackup(path: string, passphrase: string): Promise<OpenBackup> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    throw fileFailed("read the backup", path, error);
  }
  try {
    const source = { path, read: (size: number) => readUpTo(file, size) };
    return { reader: await BackupReader.begin(source, normal(passphrase), stretched), end: () => closeSync(file) };
  } catch (error) {
    closeSync(file);
    throw fileFailed("read the backup", path, error);
  }
}

/** The next bytes of a file; less only at its end. */
function readUpTo(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const count = readSync(file, bytes, at, size - at, null);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
