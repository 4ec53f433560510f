import type { DatabaseSync } from "node:sqlite";
import type { Vault } from "../vault/vault.js";
import { openDatabase } from "./node-sqlite.js";
import type { LiveRecord, LogName, StoredEntry } from "./store.js";

/** All of a store as it was at one moment. It has to be ended, once. */
export class Snapshot {
  readonly #database: DatabaseSync;
  readonly #vault: Vault;

  private constructor(database: DatabaseSync, vault: Vault) {
    this.#database = database;
    this.#vault = vault;
  }

  /** Nothing, if the keys are sealed by another vault than that of this `epoch`. */
  static async begin(file: string, vault: Vault, epoch: number): Promise<Snapshot | undefined> {
    const database = await openDatabase(file, { readOnly: true });
    try {
      database.exec("BEGIN");
      // The first look fixes the moment.
      const now = database.prepare("SELECT value FROM counters WHERE name = 'vault'").get()?.value;
      if (Number(now) === epoch) return new Snapshot(database, vault);
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
    return undefined;
  }

  /** The live records, in the order of their keys. */
  *records(): Generator<LiveRecord, void, void> {
    const rows = this.#database.prepare("SELECT key, value FROM records WHERE value IS NOT NULL ORDER BY key");
    for (const { key, value } of rows.iterate()) {
      yield { key: String(key), value: this.#vault.open(String(key), String(value)) };
    }
  }

  /** The entries of both logs, each log in its order. */
  *entries(): Generator<StoredEntry, void, void> {
    const rows = this.#database.prepare("SELECT log, n, value FROM log ORDER BY log, n");
    for (const { log, n, value } of rows.iterate()) yield { log: log as LogName, n: Number(n), value: String(value) };
  }

  end(): void {
    this.#database.close();
  }
}
