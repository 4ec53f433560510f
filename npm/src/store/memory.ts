import type { Lease, LogName, Store, StoredEntry, StoredRecord, Transaction } from "./store.js";

/** What several {@link MemoryStore}s share, as several processes share a directory. */
export class MemoryDisk {
  /** @internal */ revision = 0;
  /** @internal */ version = 0;
  /** @internal */ readonly records = new Map<string, { value: string | undefined; revision: number }>();
  /** @internal */ readonly logs: { [log in LogName]: string[] } = { feed: [], audit: [] };
  /** @internal */ lease: Lease | undefined;
  /** @internal */ readonly issued = new Map<string, number>();
  /** @internal */ readonly open = new Set<string>();
  /** @internal */ users = 0;
}

/** A store that is gone when the process ends: for tests, and for a page that shall leave no traces. */
export class MemoryStore implements Store {
  readonly self: string;
  #disk: MemoryDisk;
  #ownWrites = 0;

  constructor(disk: MemoryDisk = new MemoryDisk()) {
    this.#disk = disk;
    disk.users += 1;
    this.self = `memory-${disk.users}`;
    disk.open.add(this.self);
  }

  async transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T> {
    const disk = this.#disk;
    const isWhole = since === 0;
    const changes: StoredRecord[] = [];
    // Whoever does not care need not wait until all records were looked at.
    for (const [key, { value, revision }] of since === undefined ? [] : disk.records) {
      if (isWhole ? value !== undefined : revision > Number(since)) changes.push({ key, value });
    }
    const revision = disk.revision + 1;
    const writes: (() => unknown)[] = [];
    const result = work({
      revision,
      changes,
      isWhole,
      lease: disk.lease,
      issued: (pending) => disk.issued.get(pending),
      write: (records, entries) => {
        writes.push(() => {
          if (records.length > 0) disk.revision = revision;
          for (const { key, value } of records) disk.records.set(key, { value, revision });
          for (const { log, n, value } of entries) disk.logs[log][n - 1] = value;
        });
      },
      setLease: (lease) => {
        writes.push(() => {
          disk.lease = lease;
        });
      },
      issue: (pending) => writes.push(() => disk.issued.set(pending, revision)),
      withdraw: (pending) => writes.push(() => disk.issued.delete(pending)),
    });
    if (writes.length > 0) {
      for (const write of writes) write();
      disk.version += 1;
      this.#ownWrites += 1;
    }
    return result;
  }

  async entries(log: LogName, after: number, limit: number): Promise<StoredEntry[]> {
    const values = this.#disk.logs[log].slice(after, after + limit);
    return values.map((value, index) => ({ log, n: after + index + 1, value }));
  }

  async version(): Promise<number> {
    return this.#disk.version - this.#ownWrites;
  }

  isGone(owner: string): boolean {
    return !this.#disk.open.has(owner);
  }

  async close(): Promise<void> {
    this.#disk.open.delete(this.self);
  }
}
