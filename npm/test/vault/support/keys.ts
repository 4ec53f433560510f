import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Host, type Keychain } from "agentpair";

export const PASSPHRASE = "five words are quite enough";

/** The records that hold keys, as they lie on the disk: key and value. */
export function storedKeys(dataDir: string): [string, string][] {
  const database = new DatabaseSync(join(dataDir, "agentpair.db"), { readOnly: true });
  try {
    const rows = database
      .prepare("SELECT key, value FROM records WHERE key LIKE 'secret%' AND value IS NOT NULL")
      .all();
    return rows.map(({ key, value }) => [String(key), String(value)]);
  } finally {
    database.close();
  }
}

/** The secret parts of those records: every longer string in them, and every value as a whole. */
export function needles(stored: readonly [string, string][]): Buffer[] {
  return stored
    .flatMap(([, value]) => [value, ...(value.match(/[A-Za-z0-9_-]{20,}/g) ?? [])])
    .map((one) => Buffer.from(one));
}

/** All bytes of the database and its journals. */
export function bytesOf(dataDir: string): Buffer {
  const files = ["agentpair.db", "agentpair.db-wal", "agentpair.db-journal"].map((name) => join(dataDir, name));
  return Buffer.concat(files.filter((file) => existsSync(file)).map((file) => readFileSync(file)));
}

/** Opens a host without the network, does something, and closes it. */
export async function withHost<T>(
  dataDir: string,
  work: (host: Host) => Promise<T>,
  passphrase?: string,
  keychain?: Keychain,
): Promise<T> {
  const source = async (attempt: number) => (attempt === 0 ? passphrase : undefined);
  const host = await Host.open({ dataDir, network: false, passphrase: source, keychain });
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}

/** This host's id. */
export const idOf = (dataDir: string, passphrase?: string, keychain?: Keychain): Promise<string> =>
  withHost(dataDir, async (host) => (await host.me()).agentId, passphrase, keychain);

/** A keychain in a file, which several processes can use. */
export class FileKeychain implements Keychain {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  get entries(): { [id: string]: string } {
    return existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, "utf8")) : {};
  }

  async load(id: string): Promise<Uint8Array | undefined> {
    const found = this.entries[id];
    return found === undefined ? undefined : Buffer.from(found, "hex");
  }

  async store(id: string, key: Uint8Array): Promise<void> {
    this.#write({ ...this.entries, [id]: Buffer.from(key).toString("hex") });
  }

  async remove(id: string): Promise<void> {
    const { [id]: _, ...rest } = this.entries;
    this.#write(rest);
  }

  #write(entries: { [id: string]: string }): void {
    writeFileSync(this.#file, JSON.stringify(entries), { mode: 0o600 });
  }
}
