import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import "../load/node.js";
import { type Keychain, SystemKeychain } from "../vault/keychain.js";
import type { PassphraseSource } from "../vault/passphrase.js";
import { unlock, type VaultRow } from "../vault/protection.js";
import { Vault } from "../vault/vault.js";
import { openDatabase, rollBack } from "./node-sqlite.js";
import { makePrivateDirectory, makePrivateFile } from "./private-files.js";
import { corrupt, migrate } from "./schema.js";
import { explain } from "./sqlite-errors.js";
import { Snapshot } from "./sqlite-snapshot.js";
import { prepare, type Statements } from "./sqlite-statements.js";
import { SqliteTransaction } from "./sqlite-transaction.js";
import type { LogName, Store, StoredEntry, Transaction } from "./store.js";

/** Deleted records that are worth the trouble of removing their traces. */
const TRACES = 1_000;

/** How to open a store. */
export interface StoreOptions {
  /** Where the passphrase comes from, if one protects the keys. */
  passphrase?: PassphraseSource | undefined;
  /** Where the key of the keys is, if it is in a keychain; that of the operating system unless said otherwise. */
  keychain?: Keychain | undefined;
}

/** A store in one SQLite file, `agentpair.db`, shared by all processes that use its directory. */
export class SqliteStore implements Store {
  readonly self = `${hostname()}/${process.pid}/${randomUUID()}`;
  /** The database file. */
  readonly file: string;
  readonly #directory: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #options: StoreOptions;
  #vault = new Vault();
  /** Rises whenever the keys are sealed otherwise, by whichever process. */
  #epoch = -1;
  #unlocking: Promise<void> | undefined;
  #isClosed = false;

  private constructor(database: DatabaseSync, directory: string, options: StoreOptions) {
    this.#database = database;
    this.#directory = directory;
    this.#options = options;
    this.file = databaseOf(directory);
    this.#statements = prepare(database);
  }

  /**
   * Opens the store of a directory, or makes both.
   *
   * @throws AgentPairError `node_too_old`, `store_corrupt`, `store_too_new`, `store_not_private`, `store_failed`,
   * `vault_locked`, `wrong_passphrase`, `keychain_unavailable`.
   */
  static async open(directory: string, options: StoreOptions = {}): Promise<SqliteStore> {
    const file = databaseOf(directory);
    let database: DatabaseSync | undefined;
    try {
      makePrivateDirectory(directory);
      mustNotBeGone(directory, file);
      makePrivateFile(file);
      database = await openDatabase(file);
      await migrate(database, file);
      // Keys that are erased shall be gone from the file too.
      database.exec("PRAGMA secure_delete = ON");
      const store = new SqliteStore(database, directory, options);
      store.#compact();
      await store.#unlock();
      return store;
    } catch (error) {
      database?.close();
      throw explain(error, file);
    }
  }

  transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T> {
    return this.#write(() => work(new SqliteTransaction(this.#statements, this.#vault, since)));
  }

  /** How the keys are protected now. */
  async protection(): Promise<VaultRow> {
    return this.#read(() => this.#vaultRow());
  }

  /** Seals every key by another vault, at once for all processes. Resolves with what was there before. */
  protect(row: VaultRow, vault: Vault): Promise<VaultRow> {
    return this.#write(() => {
      const { keys, reseal, protect, nextVault } = this.#statements;
      const before = this.#vaultRow();
      const opened = keys.all().map(({ key, value }) => ({
        key: String(key),
        value: this.#vault.open(String(key), String(value)),
      }));
      // First: the schema lets no plain key into a store that has a vault.
      protect.run(row.protection, row.about ?? null);
      for (const { key, value } of opened) reseal.run(vault.seal(key, value), key);
      nextVault.run();
      return before;
    });
  }

  /**
   * Removes what was overwritten or deleted from the file and its journal. Whether it could: another process that is
   * reading keeps it from doing so, and so does a full disk.
   */
  async eraseTraces(): Promise<boolean> {
    try {
      this.#database.exec("PRAGMA temp_store = MEMORY");
      this.#database.exec("VACUUM");
      return Number(this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy) === 0;
    } catch {
      return false;
    }
  }

  /** Everything as it is now. Other processes, and this one, go on writing meanwhile. */
  async snapshot(): Promise<Snapshot> {
    try {
      for (;;) {
        const snapshot = await Snapshot.begin(this.file, this.#vault, this.#epoch);
        if (snapshot) return snapshot;
        await this.#unlock();
      }
    } catch (error) {
      throw explain(error, this.file);
    }
  }

  async entries(log: LogName, after: number, limit: number): Promise<StoredEntry[]> {
    return this.#read(() =>
      this.#statements.entries.all(log, after, limit).map(({ n, value }) => ({
        log,
        n: Number(n),
        value: String(value),
      })),
    );
  }

  async version(): Promise<number> {
    return this.#read(() => Number(this.#statements.version.get()?.data_version));
  }

  /** Runs `work` in a write transaction, with the vault that the keys are sealed by now. */
  async #write<T>(work: () => T): Promise<T> {
    try {
      for (;;) {
        const done = this.#attempt(work);
        if (done) return done.result;
        await this.#unlock();
      }
    } catch (error) {
      throw explain(error, this.file);
    }
  }

  /** Nothing, and nothing done, if another process has changed the vault. */
  #attempt<T>(work: () => T): { result: T } | undefined {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const isCurrent = Number(this.#statements.counters.get()?.vault) === this.#epoch;
      const done = isCurrent ? { result: work() } : undefined;
      this.#database.exec("COMMIT");
      return done;
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
  }

  /** Opens the vault that the keys are sealed by now. */
  #unlock(): Promise<void> {
    const open = async () => {
      const { epoch, ...row } = this.#vaultRow();
      const { passphrase, keychain = new SystemKeychain() } = this.#options;
      this.#vault = await unlock(row, { passphrase, keychain }, this.#directory);
      this.#epoch = epoch;
    };
    this.#unlocking ??= open().finally(() => {
      this.#unlocking = undefined;
    });
    return this.#unlocking;
  }

  #vaultRow(): VaultRow & { epoch: number } {
    const { protection, about, vault } = this.#statements.vault.get() ?? {};
    return {
      protection: String(protection),
      about: about === null ? undefined : String(about),
      epoch: Number(vault),
    };
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explain(error, this.file);
    }
  }

  isGone(owner: string): boolean {
    const [host, pid] = owner.split("/");
    // A process of another container cannot be seen from here: its lease has to run out.
    if (host !== hostname()) return false;
    try {
      process.kill(Number(pid), 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ESRCH";
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
  }

  /** Removes the traces of deleted records when there are many. */
  #compact(): void {
    const { traces } = this.#database.prepare("SELECT count(*) AS traces FROM records WHERE value IS NULL").get() ?? {};
    if (Number(traces) < TRACES) return;
    this.#database.exec(
      `BEGIN IMMEDIATE;
       DELETE FROM records WHERE value IS NULL;
       UPDATE counters SET value = (SELECT value FROM counters WHERE name = 'revision') WHERE name = 'floor';
       COMMIT;`,
    );
  }
}

/** Only a store that never was may begin: who lost one has lost bonds, and what was heard. @throws AgentPairError */
function mustNotBeGone(directory: string, file: string): void {
  // In this order: a host makes that directory when its store is whole.
  const wasInUse = existsSync(join(directory, "approvals"));
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === 0 && wasInUse) throw corrupt(file, "it is empty, but was in use");
  if (size === undefined && existsSync(`${file}-wal`)) throw corrupt(file, "it is gone, but its journal is there");
}

/** The database file of a data directory. */
export function databaseOf(directory: string): string {
  return join(directory, "agentpair.db");
}
