import { closeSync, fstatSync, fsyncSync, openSync, readdirSync, rmdirSync, rmSync, writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { AgentPairError, asAgentPairError } from "../errors.js";
import { openDatabase } from "../store/node-sqlite.js";
import { isOurs } from "../store/schema.js";
import { databaseOf } from "../store/sqlite.js";
import { fileFailed, mustHaveStore, ownFiles } from "./data-files.js";
import { type Keychain, SystemKeychain } from "./keychain.js";
import { forgetVault, type VaultRow } from "./protection.js";

/** What {@link wipe} left. */
export interface Wiped {
  /** Names of what lies in the directory and is not ours; with them the directory stays. */
  foreign: string[];
  /** Set if the key of the keys is still in the keychain. It opens nothing any more. */
  leftover: AgentPairError | undefined;
}

/**
 * Removes an AgentPair from a directory: the database, overwritten with zeros first, its journals, the approvals, and
 * the key in the keychain. No peer is told. Nothing can be brought back, except from a backup.
 *
 * @throws AgentPairError `no_store`, `not_ours`, `directory_in_use`, `file_failed`.
 */
export async function wipe(directory: string, keychain: Keychain = new SystemKeychain()): Promise<Wiped> {
  const { database, vault } = await takeAlone(directory);
  try {
    try {
      overwrite(databaseOf(directory));
    } finally {
      database.close();
    }
    // Zeros are no store: whoever opens it now is refused.
    for (const path of ownFiles(directory)) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    const foreign = readdirSync(directory);
    if (foreign.length === 0) rmdirSync(directory);
    const leftover = vault && (await forgetVault(vault, keychain).then(() => undefined, asAgentPairError));
    return { foreign, leftover };
  } catch (error) {
    throw fileFailed("wipe", directory, error);
  }
}

/**
 * Whether a directory holds an AgentPair that no process uses now.
 *
 * @throws AgentPairError `no_store`, `not_ours`, `directory_in_use`.
 */
export async function mustBeUnused(directory: string): Promise<void> {
  (await takeAlone(directory)).database.close();
}

/** Opens the database of a directory so that nobody else can until it is closed. */
async function takeAlone(directory: string): Promise<{ database: DatabaseSync; vault: VaultRow | undefined }> {
  mustHaveStore(directory);
  const database = await openDatabase(databaseOf(directory), { patienceMs: 1_000 });
  try {
    if (!isOurs(database)) throw notOurs(directory);
    // Only whoever is alone can leave SQLite's mode of sharing; nothing can be read any more, then, by anybody else.
    database.exec("PRAGMA journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
    return { database, vault: vaultOf(database) };
  } catch (error) {
    database.close();
    const primary = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    // Busy and locked; corrupt, and no database.
    if (primary === 5 || primary === 6) throw inUse(directory);
    throw primary === 11 || primary === 26 ? notOurs(directory) : error;
  }
}

/** An older schema has none. */
function vaultOf(database: DatabaseSync): VaultRow | undefined {
  try {
    const { protection, about } = database.prepare("SELECT protection, about FROM vault").get() ?? {};
    return { protection: String(protection), about: about === null ? undefined : String(about) };
  } catch {
    return undefined;
  }
}

function overwrite(path: string): void {
  const zeros = Buffer.alloc(1024 * 1024);
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    for (let at = 0; at < size; at += zeros.length) writeSync(file, zeros, 0, Math.min(zeros.length, size - at), at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function notOurs(directory: string): AgentPairError {
  const text = `${databaseOf(directory)} is not readable as a store of AgentPair: look at it, and remove it by hand`;
  return new AgentPairError("not_ours", "policy", text);
}

function inUse(directory: string): AgentPairError {
  const text = `another process uses ${directory}: end it first, such as an MCP client that started \`agentpair\`, and try again`;
  return new AgentPairError("directory_in_use", "policy", text);
}
