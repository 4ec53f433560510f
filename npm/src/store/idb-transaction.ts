import type { Vault } from "../vault/vault.js";
import { resultOf } from "./idb.js";
import { corrupt } from "./idb-errors.js";
import type { Counters, RecordRow } from "./idb-schema.js";
import type { Lease, StoredEntry, StoredRecord, Transaction } from "./store.js";

/** What a transaction finds when it begins. */
interface Found {
  counters: Counters;
  isWhole: boolean;
  rows: RecordRow[];
  lease: Lease | undefined;
  issued: { pending: string; rev: number }[];
}

/** One write transaction of a store in IndexedDB, with the records that hold keys opened and sealed on the way. */
export class IdbTransaction implements Transaction {
  readonly revision: number;
  readonly isWhole: boolean;
  readonly changes: StoredRecord[];
  readonly lease: Lease | undefined;
  readonly #transaction: IDBTransaction;
  readonly #vault: Vault;
  readonly #counters: Counters;
  readonly #issued: Map<string, number>;
  #hasWritten = false;

  private constructor(transaction: IDBTransaction, vault: Vault, found: Found) {
    this.#transaction = transaction;
    this.#vault = vault;
    this.#counters = found.counters;
    this.#issued = new Map(found.issued.map(({ pending, rev }) => [pending, rev]));
    this.revision = found.counters.revision + 1;
    this.isWhole = found.isWhole;
    this.lease = found.lease;
    this.changes = found.rows.map(({ key, value }) => ({
      key,
      value: value === undefined ? undefined : vault.open(key, value),
    }));
  }

  /** Reads all that the work may ask for: it cannot wait. `name` is that of the store. */
  static async begin(transaction: IDBTransaction, vault: Vault, name: string, since: number | undefined) {
    const meta = transaction.objectStore("meta");
    const records = transaction.objectStore("records");
    const [counters, lease, issued] = await Promise.all([
      resultOf<Counters | undefined>(meta.get("counters")),
      resultOf<Lease | undefined>(meta.get("lease")),
      resultOf<Found["issued"]>(transaction.objectStore("issued").getAll()),
    ]);
    if (!counters) throw corrupt(name, "its counters are missing");
    const { revision, floor } = counters;
    const from = since ?? Number.NaN;
    const isWhole = from === 0 || from < floor || from > revision;
    let rows: RecordRow[] = [];
    if (isWhole) {
      const all = await resultOf<RecordRow[]>(records.getAll());
      rows = all.filter(({ value }) => value !== undefined);
    } else if (from < revision) {
      rows = await resultOf<RecordRow[]>(records.index("rev").getAll(IDBKeyRange.lowerBound(from, true)));
    }
    return new IdbTransaction(transaction, vault, { counters, isWhole, rows, lease, issued });
  }

  /** Whether anything was written. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  issued(pending: string): number | undefined {
    return this.#issued.get(pending);
  }

  write(records: readonly StoredRecord[], entries: readonly StoredEntry[]): void {
    const rows = this.#transaction.objectStore("records");
    for (const { key, value } of records) {
      const rest = value === undefined ? { gone: 1 as const } : { value: this.#vault.seal(key, value) };
      const row: RecordRow = { key, rev: this.revision, ...rest };
      rows.put(row);
    }
    const log = this.#transaction.objectStore("log");
    for (const { log: name, n, value } of entries) log.add({ log: name, n, value });
    if (records.length > 0) this.#counters.revision = this.revision;
    this.#noteWrite();
  }

  setLease(lease: Lease | undefined): void {
    const meta = this.#transaction.objectStore("meta");
    if (lease) meta.put({ owner: lease.owner, until: lease.until }, "lease");
    else meta.delete("lease");
    this.#noteWrite();
  }

  issue(pending: string): void {
    this.#transaction.objectStore("issued").put({ pending, rev: this.revision });
    this.#noteWrite();
  }

  withdraw(pending: string): void {
    this.#transaction.objectStore("issued").delete(pending);
    this.#noteWrite();
  }

  #noteWrite(): void {
    if (!this.#hasWritten) this.#counters.writes += 1;
    this.#hasWritten = true;
    this.#transaction.objectStore("meta").put(this.#counters, "counters");
  }
}
