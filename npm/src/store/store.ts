/** A record of the engine: `key` is `<table>/<rest>`, `value` is JSON text, absent where the record is gone. */
export interface StoredRecord {
  key: string;
  value: string | undefined;
}

/** A record that is there, with its keys opened. */
export interface LiveRecord {
  key: string;
  value: string;
}

/** A log that is only appended to. */
export type LogName = "feed" | "audit";

/** One entry of a log. */
export interface StoredEntry {
  log: LogName;
  /** Its number, from 1. */
  n: number;
  /** JSON text. */
  value: string;
}

/** The right to use the network: one process of a data directory has it. */
export interface Lease {
  /** Whoever holds it. */
  owner: string;
  /** Unix milliseconds; it is void afterwards. */
  until: number;
}

/**
 * One write transaction. Reads show the state at its beginning. Writes become durable together when the work
 * returns, or not at all.
 */
export interface Transaction {
  /** The revision that this transaction gets if it writes records. Revisions only rise. */
  readonly revision: number;
  /** What changed since the revision that the caller named; the live records of the whole store if `isWhole`. */
  readonly changes: StoredRecord[];
  /** Whether `changes` are all records: start from them instead of adding them. */
  readonly isWhole: boolean;
  /** The network lease. */
  readonly lease: Lease | undefined;
  /** The revision that last issued codes for a pending item. */
  issued(pending: string): number | undefined;

  /** Writes or deletes records, and appends to logs. */
  write(records: readonly StoredRecord[], entries: readonly StoredEntry[]): void;
  /** Takes, prolongs, or gives up the network lease. */
  setLease(lease: Lease | undefined): void;
  /** Notes that this transaction issued the codes of a pending item: those of earlier ones are void. */
  issue(pending: string): void;
  /** Forgets a pending item. */
  withdraw(pending: string): void;
}

/** Where a host keeps its state. Several processes may use one store at once. */
export interface Store {
  /**
   * Runs `work` in one write transaction and resolves when it is durable. If `work` throws, nothing is written.
   * `since` is the last revision that the caller has seen, 0 for none, absent if the caller does not care.
   */
  transact<T>(since: number | undefined, work: (transaction: Transaction) => T): Promise<T>;
  /** Entries of a log with numbers above `after`, in order, at most `limit`. */
  entries(log: LogName, after: number, limit: number): Promise<StoredEntry[]>;
  /** A number that changes when another process has written. */
  version(): Promise<number>;
  /** Whether the owner of a lease is known to be gone, so that nobody has to wait until its lease is void. */
  isGone(owner: string): boolean;
  /** A name for this process as the owner of a lease. */
  readonly self: string;
  /** Ends the use of the store. */
  close(): Promise<void>;
}
