import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { SqliteStore, type StoreOptions } from "../store/sqlite.js";
import type { Snapshot } from "../store/sqlite-snapshot.js";
import { BackupReader, BackupWriter } from "./backup-format.js";
import { type BackupCounts, type BackupLine, lineOf, partsOf } from "./backup-lines.js";
import { fileExists, fileFailed, mustHaveStore, publish } from "./data-files.js";
import { newPassphrase, normal } from "./passphrase.js";

/** What a backup holds. */
export interface BackupDone extends BackupCounts {
  /** Size of the file, in bytes. */
  bytes: number;
  /** ISO 8601. */
  createdAt: string;
}

/** After that many bytes others get their turn. */
const BREATH = 1024 * 1024;

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
    const head: BackupLine = {
      agentpair: "backup",
      v: 1,
      created_at: createdAt,
      protection,
    };
    const snapshot = await store.snapshot();
    try {
      const file = openSync(draft, "wx", 0o600);
      try {
        const writer = await BackupWriter.begin(file, chosen);
        const counts = await write(writer, head, snapshot);
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

async function write(writer: BackupWriter, head: BackupLine, snapshot: Snapshot): Promise<BackupCounts> {
  const counts: BackupCounts = { records: 0, feed: 0, audit: 0 };
  let breath = 0;
  const add = async (line: BackupLine) => {
    const bytes = lineOf(line);
    writer.add(bytes);
    breath += bytes.length;
    if (breath < BREATH) return;
    breath = 0;
    await breathe();
  };
  await add(head);
  for (const record of snapshot.records()) {
    counts.records += 1;
    await add(record);
  }
  for (const entry of snapshot.entries()) {
    counts[entry.log] += 1;
    await add(entry);
  }
  await add({ end: counts });
  writer.end();
  return counts;
}

/** A backup that cannot be read is found now, not when it is needed. */
async function readBack(path: string, passphrase: string): Promise<void> {
  const reader = await openBackup(path, passphrase);
  try {
    for (const _ of partsOf(reader.pieces(), path));
  } finally {
    reader.end();
  }
}

/** Opens a backup. @throws AgentPairError `file_failed`, `no_backup`, `backup_too_new`. */
export async function openBackup(path: string, passphrase: string): Promise<BackupReader> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    throw fileFailed("read the backup", path, error);
  }
  try {
    return await BackupReader.begin(file, path, normal(passphrase));
  } catch (error) {
    closeSync(file);
    throw fileFailed("read the backup", path, error);
  }
}
