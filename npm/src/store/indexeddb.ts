import { AgentPairError } from "../errors.js";
import { Vault } from "../vault/vault.js";
import { makeRow, openRow, type VaultRow } from "../vault/web-key.js";
import { completed, resultOf, undo } from "./idb.js";
import { corrupt, explain, gone, insecure, tooNew } from "./idb-errors.js";
import { ALL_STORES, type Counters, openDatabase, type RecordRow } from "./idb-schema.js";
import { IdbTransaction } from "./idb-transaction.js";
import type { Lease, LogName, Store, StoredEntry, StoredRecord, Transaction } from "./store.js";
import { TabNames } from "./tab-names.js";

/** Deleted records that are worth the trouble of removing their traces. */
const TRACES = 1_000;
/** How long the browser may take to say that a database is closed, in milliseconds. */
const PATIENCE_MS = 2_000;
/** Rows that are read at once for a snapshot. */
const ROWS = 500;

/** All of a store as it was at one moment. */
export interface WebSnapshot {
  /** With their keys opened. */
  records: { key: string; value: string }[];
  entries: StoredEntry[];
}

/** A store in one IndexedDB database, shared by all tabs of an origin. */
export class IndexedDbStore implements Store {
  /** The name of the database. */
  readonly name: string;
  readonly #database: IDBDatabase;
  readonly #tabs: TabNames;
  #vault = new Vault();
  #ownWrites = 0;
  /** Why the database cannot be used any more. */
  #end: (() => Error) | undefined;
  readonly #lost: Promise<void>;

  private constructor(database: IDBDatabase, tabs: TabNames) {
    this.name = database.name;
    this.#database = database;
    this.#tabs = tabs;
    this.#lost = new Promise((resolve) => {
      database.onclose = () => {
        this.#end ??= () => gone(this.name);
        resolve();
      };
      database.onversionchange = ({ newVersion }) => {
        this.#end ??= () => (newVersion === null ? gone(this.name) : tooNew(this.name));
        database.close();
        resolve();
      };
    });
  }

  /**
   * Opens the store of that name, or makes it. The protocol core has to be loaded.
   *
   * @throws AgentPairError `storage_unavailable`, `storage_full`, `store_corrupt`, `store_too_new`, `store_in_use`.
   */
  static async open(name: string): Promise<IndexedDbStore> {
    if (!globalThis.crypto?.subtle) throw insecure();
    const tabs = await TabNames.take(name);
    const database = await openDatabase(name).catch((error) => {
      tabs.release();
      throw error;
    });
    // At once: a database that nobody listens for cannot give way.
    const store = new IndexedDbStore(database, tabs);
    try {
      await store.#compact();
      await store.#unlock();
      const { lease } = await store.#meta();
      if (lease) await store.#tabs.look(lease.owner);
      return store;
    } catch (error) {
      await store.close();
      throw explain(error, name);
    }
  }

  get self(): string {
    return this.#tabs.self;
  }

  transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T> {
    return this.#use("readwrite", async (transaction) => {
      const begun = await IdbTransaction.begin(transaction, this.#vault, this.name, since);
      const result = work(begun);
      return { result, hasWritten: begun.hasWritten };
    }).then(({ result, hasWritten }) => {
      if (hasWritten) this.#ownWrites += 1;
      return result;
    });
  }

  entries(log: LogName, after: number, limit: number): Promise<StoredEntry[]> {
    const range = IDBKeyRange.bound([log, after], [log, Number.POSITIVE_INFINITY], true);
    return this.#use("readonly", (transaction) => resultOf(transaction.objectStore("log").getAll(range, limit)));
  }

  async version(): Promise<number> {
    return (await this.#meta()).counters.writes - this.#ownWrites;
  }

  isGone(owner: string): boolean {
    return this.#tabs.isGone(owner);
  }

  /** Everything as it is now. */
  snapshot(): Promise<WebSnapshot> {
    return this.#use("readonly", async (transaction) => {
      const rows = await all<RecordRow>(transaction.objectStore("records"), ({ key }) => key);
      const entries = await all<StoredEntry>(transaction.objectStore("log"), ({ log, n }) => [log, n]);
      const live = rows.filter((row): row is Required<RecordRow> => row.value !== undefined);
      return { records: live.map(({ key, value }) => ({ key, value: this.#vault.open(key, value) })), entries };
    });
  }

  /** Fills a store in which nothing was ever written. Whether it could: another tab may have begun. */
  fill(records: readonly StoredRecord[], entries: readonly StoredEntry[]): Promise<boolean> {
    return this.transact(undefined, (transaction) => {
      if (transaction.revision > 1) return false;
      transaction.write(records, entries);
      return true;
    });
  }

  async close(): Promise<void> {
    this.#end ??= () => new AgentPairError("store_failed", "caller", `the store "${this.name}" was closed`);
    this.#database.close();
    this.#tabs.release();
  }

  /** Runs `work` in a transaction over everything; resolves when it is durable. */
  async #use<T>(
    mode: IDBTransactionMode,
    work: (transaction: IDBTransaction) => Promise<T>,
    stores: readonly string[] = ALL_STORES,
  ): Promise<T> {
    let transaction: IDBTransaction | undefined;
    try {
      transaction = this.#database.transaction([...stores], mode, { durability: "strict" });
      const done = completed(transaction);
      const result = await work(transaction);
      await done;
      return result;
    } catch (error) {
      const reason = transaction?.error ?? error;
      if (transaction) undo(transaction);
      const coded = explain(reason, this.name);
      const isUnclear = reason instanceof DOMException && (coded as AgentPairError).code === "store_failed";
      if (isUnclear && !this.#end) await this.#settle();
      throw this.#end?.() ?? coded;
    }
  }

  /** The browser tells of the end of a database after it has undone what was under way: waits until that is clear. */
  async #settle(): Promise<void> {
    const canRead = async () => {
      await resultOf(this.#database.transaction("meta").objectStore("meta").get("counters"));
    };
    // What cannot be read any more is about to be closed.
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    await Promise.race([this.#lost, canRead().catch(() => patience)]);
  }

  /** Of one object store alone: it is asked for many times a second, and keeps nobody from the others. */
  #meta(): Promise<{ counters: Counters; lease: Lease | undefined }> {
    const read = async (transaction: IDBTransaction) => {
      const meta = transaction.objectStore("meta");
      const [counters, lease] = await Promise.all([resultOf(meta.get("counters")), resultOf(meta.get("lease"))]);
      if (!counters) throw corrupt(this.name, "its counters are missing");
      return { counters, lease };
    };
    return this.#use("readonly", read, ["meta"]);
  }

  /** Opens the vault; makes it if nothing was ever written. */
  async #unlock(): Promise<void> {
    const found = (await this.#vaultRow(undefined)) ?? (await this.#vaultRow(await makeRow()));
    if ((found?.v ?? 1) !== 1) throw tooNew(this.name);
    const key = await openRow(found);
    if (!key) throw corrupt(this.name, "the key of its keys does not open");
    this.#vault = new Vault(key);
  }

  /** The vault as it is; `fresh` if there is none. Another tab may be first: then it is that one's. */
  #vaultRow(fresh: VaultRow | undefined): Promise<VaultRow | undefined> {
    return this.#use(fresh ? "readwrite" : "readonly", async (transaction) => {
      const meta = transaction.objectStore("meta");
      const [row, counters, count] = await Promise.all([
        resultOf<VaultRow | undefined>(meta.get("vault")),
        resultOf<Counters | undefined>(meta.get("counters")),
        resultOf(transaction.objectStore("records").count()),
      ]);
      if (row) return row;
      if (count > 0 || counters?.revision !== 0) throw corrupt(this.name, "the key of its keys is missing");
      if (fresh) meta.put(fresh, "vault");
      return fresh;
    });
  }

  /** Removes the traces of deleted records when there are many. */
  async #compact(): Promise<void> {
    await this.#use("readwrite", async (transaction) => {
      const records = transaction.objectStore("records");
      const [counters, traces] = await Promise.all([
        resultOf<Counters | undefined>(transaction.objectStore("meta").get("counters")),
        resultOf(records.index("gone").getAllKeys()),
      ]);
      if (!counters) throw corrupt(this.name, "its counters are missing");
      if (traces.length < TRACES) return;
      for (const key of traces) records.delete(key);
      transaction.objectStore("meta").put({ ...counters, floor: counters.revision }, "counters");
    });
  }
}

/** All rows of an object store, in order and in pieces. */
async function all<T>(store: IDBObjectStore, keyOf: (row: T) => IDBValidKey): Promise<T[]> {
  const rows: T[] = [];
  for (let range: IDBKeyRange | undefined; ; ) {
    const piece: T[] = await resultOf(store.getAll(range, ROWS));
    rows.push(...piece);
    const last = piece.at(-1);
    if (last === undefined || piece.length < ROWS) return rows;
    range = IDBKeyRange.lowerBound(keyOf(last), true);
  }
}
