import type { Vault } from "../vault/vault.js";
import type { Statements } from "./sqlite-statements.js";
import type { Lease, StoredEntry, StoredRecord, Transaction } from "./store.js";

/** One write transaction of a store in SQLite, with the records that hold keys opened and sealed on the way. */
export class SqliteTransaction implements Transaction {
  readonly revision: number;
  readonly isWhole: boolean;
  readonly changes: StoredRecord[];
  readonly lease: Lease | undefined;
  #statements: Statements;
  #vault: Vault;

  constructor(statements: Statements, vault: Vault, since = Number.NaN) {
    this.#statements = statements;
    this.#vault = vault;
    const counters = statements.counters.get();
    const last = Number(counters?.revision);
    this.revision = last + 1;
    this.isWhole = since === 0 || since < Number(counters?.floor) || since > last;
    const rows = this.isWhole ? statements.all.all() : since < last ? statements.since.all(since) : [];
    this.changes = rows.map(({ key, value }) => ({
      key: String(key),
      value: value === null ? undefined : vault.open(String(key), String(value)),
    }));
    const lease = statements.lease.get();
    this.lease = lease && { owner: String(lease.owner), until: Number(lease.until) };
  }

  issued(pending: string): number | undefined {
    const row = this.#statements.issued.get(pending);
    return row && Number(row.rev);
  }

  write(records: readonly StoredRecord[], entries: readonly StoredEntry[]): void {
    for (const { key, value } of records) {
      this.#statements.put.run(key, value === undefined ? null : this.#vault.seal(key, value), this.revision);
    }
    for (const { log, n, value } of entries) this.#statements.append.run(log, n, value);
    if (records.length > 0) this.#statements.advance.run(this.revision);
  }

  setLease(lease: Lease | undefined): void {
    if (lease) this.#statements.take.run(lease.owner, lease.until);
    else this.#statements.giveUp.run();
  }

  issue(pending: string): void {
    this.#statements.issue.run(pending, this.revision);
  }

  withdraw(pending: string): void {
    this.#statements.withdraw.run(pending);
  }
}
