import { corrupt, explain, inUse, unavailable } from "./idb-errors.js";

/** Each entry takes the schema one version further. Entries are never changed, only added. */
const MIGRATIONS: readonly ((database: IDBDatabase, transaction: IDBTransaction) => void)[] = [
  (database, transaction) => {
    // One row each, by its name: `counters`, `lease`, `vault`.
    database.createObjectStore("meta");
    // A deleted record leaves its key and revision, and `gone` instead of a value.
    const records = database.createObjectStore("records", { keyPath: "key" });
    records.createIndex("rev", "rev");
    records.createIndex("gone", "gone");
    database.createObjectStore("log", { keyPath: ["log", "n"] });
    database.createObjectStore("issued", { keyPath: "pending" });
    const counters: Counters = { revision: 0, floor: 0, writes: 0 };
    transaction.objectStore("meta").put(counters, "counters");
  },
];

export const ALL_STORES = ["meta", "records", "log", "issued"] as const;

/**
 * `revision` is that of the last transaction that wrote records. Deletions up to `floor` have left no trace: whoever
 * has seen less than that starts again from all records. `writes` rises with every write.
 */
export interface Counters {
  revision: number;
  floor: number;
  writes: number;
}

export interface RecordRow {
  key: string;
  /** Absent where the record is gone. */
  value?: string;
  gone?: 1;
  rev: number;
}

/** A tab of an older version may hold the database: it gives way when it is told, unless the browser put it to sleep. */
const PATIENCE_MS = 10_000;

/**
 * Opens a database at the newest schema, or makes it.
 *
 * @throws AgentPairError `storage_unavailable`, `store_too_new`, `store_corrupt`, `storage_full`, `store_in_use`.
 */
export async function openDatabase(name: string): Promise<IDBDatabase> {
  const database = await opening(name, MIGRATIONS.length, (request, from) => {
    for (const step of MIGRATIONS.slice(from)) step(request.result, request.transaction as IDBTransaction);
  });
  if (isOurs(database)) return database;
  database.close();
  throw corrupt(name, "it is the database of something else");
}

/** Opens a database only if it is there, in whatever version. Nothing is made. */
export async function openExisting(name: string): Promise<IDBDatabase | undefined> {
  let isNew = false;
  try {
    return await opening(name, undefined, (request) => {
      isNew = true;
      request.transaction?.abort();
    });
  } catch (error) {
    if (isNew) return undefined;
    throw error;
  }
}

/** Whether a database is a store of AgentPair. */
export function isOurs(database: IDBDatabase): boolean {
  return ALL_STORES.every((store) => database.objectStoreNames.contains(store));
}

/** Deletes a database. Tabs that use it are told, and give way. @throws AgentPairError `store_in_use`. */
export async function deleteDatabase(name: string): Promise<void> {
  await settled(name, factory().deleteDatabase(name));
}

function opening(
  name: string,
  version: number | undefined,
  upgrade: (request: IDBOpenDBRequest, from: number) => void,
): Promise<IDBDatabase> {
  let request: IDBOpenDBRequest;
  try {
    request = factory().open(name, version);
  } catch (error) {
    throw unavailable(error);
  }
  request.onupgradeneeded = ({ oldVersion }) => upgrade(request, oldVersion);
  return settled(name, request);
}

function factory(): IDBFactory {
  // In some private modes even the question is refused.
  try {
    if (globalThis.indexedDB) return globalThis.indexedDB;
  } catch (error) {
    throw unavailable(error);
  }
  throw unavailable();
}

function settled<T extends IDBDatabase | undefined>(name: string, request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLate = false;
    (request as unknown as IDBOpenDBRequest).onblocked = () => {
      timer ??= setTimeout(() => {
        isLate = true;
        reject(inUse(name));
      }, PATIENCE_MS);
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      if (isLate) request.result?.close();
      else resolve(request.result);
    };
    request.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      reject(inWords(request.error, name));
    };
  });
}

/** What keeps a database from being opened. */
function inWords(error: DOMException | null, name: string): unknown {
  const refusals = ["SecurityError", "InvalidStateError", "UnknownError", "NotAllowedError"];
  return error === null || refusals.includes(error.name) ? unavailable(error) : explain(error, name);
}
