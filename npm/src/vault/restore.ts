import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { AgentPairError } from "../errors.js";
import { NodeHost } from "../host/node-host.js";
import { makePrivateDirectory } from "../store/private-files.js";
import { databaseOf, SqliteStore } from "../store/sqlite.js";
import type { StoredEntry, StoredRecord } from "../store/store.js";
import { openBackup } from "./backup.js";
import { damaged } from "./backup-format.js";
import { type BackupCounts, type BackupHead, partsOf } from "./backup-lines.js";
import { DRAFT, fileFailed, publish } from "./data-files.js";
import { type Restored, wakeRestored } from "./restored.js";

/** Characters that are written in one transaction. */
const BATCH = 4 * 1024 * 1024;

/**
 * Puts a backup into a data directory that is empty, or not there yet. Everything is checked before the directory has
 * anything of it; then it is there whole. The host is told what a restored one has to know, without the network.
 *
 * @throws AgentPairError `directory_not_empty`, `wrong_passphrase`, `backup_damaged`, `backup_too_new`, `no_backup`,
 * `file_failed`.
 */
export async function restore(path: string, directory: string, passphrase: string): Promise<Restored> {
  mustBeEmpty(directory);
  const opened = await openBackup(path, passphrase);
  const isNew = !existsSync(directory);
  const draft = join(directory, DRAFT);
  let isDone = false;
  try {
    const parts = partsOf(opened.reader.pieces(), path);
    // Before anything is made: this shows whether the passphrase is right.
    const first = (await parts.next()).value;
    if (first?.part !== "head") throw damaged(path, "odd content");
    makePrivateDirectory(directory);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    const counts = await fill(draft, parts);
    const alone = { dataDir: draft, relay: "http://127.0.0.1:3001", network: false, onProblem: () => {} };
    const bonds = await wakeRestored(NodeHost.open(alone), counts, path);
    publish(databaseOf(draft), databaseOf(directory));
    isDone = true;
    const { created_at: createdAt, protection }: BackupHead = first.head;
    return { createdAt, protection, bonds, ...counts };
  } catch (error) {
    throw fileFailed("restore into", directory, error);
  } finally {
    opened.end();
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 });
    if (isNew && !isDone) removeEmpty(directory);
  }
}

/** @throws AgentPairError `directory_not_empty`. */
export function mustBeEmpty(directory: string): void {
  let names: string[] = [];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw fileFailed("restore into", directory, error);
  }
  // A draft is what a killed restore left.
  if (names.every((name) => name === DRAFT)) return;
  const advice = `end what uses it, move it away (mv ${directory} ${directory}.old), and restore again`;
  const text = `${directory} is not empty, and nothing is ever restored over another AgentPair: ${advice}`;
  throw new AgentPairError("directory_not_empty", "policy", text);
}

/** Leaves a directory that somebody else has begun to use. */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {}
}

/** Writes the parts into a new store. */
async function fill(draft: string, parts: ReturnType<typeof partsOf>): Promise<BackupCounts> {
  const store = await SqliteStore.open(draft);
  try {
    let records: StoredRecord[] = [];
    let entries: StoredEntry[] = [];
    let size = 0;
    let counts: BackupCounts = { records: 0, feed: 0, audit: 0 };
    const flush = async () => {
      await store.transact(undefined, (transaction) => transaction.write(records, entries));
      records = [];
      entries = [];
      size = 0;
      await breathe();
    };
    for await (const part of parts) {
      if (part.part === "record") {
        records.push(part.record);
        size += part.record.value.length;
      } else if (part.part === "entry") {
        entries.push(part.entry);
        size += part.entry.value.length;
      } else if (part.part === "end") {
        counts = part.counts;
      }
      if (size > BATCH) await flush();
    }
    await flush();
    return counts;
  } finally {
    await store.close();
  }
}
