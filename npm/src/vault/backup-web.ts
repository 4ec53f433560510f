import { AgentPairError } from "../errors.js";
import { BrowserHost } from "../host/browser-host.js";
import { init } from "../load/browser.js";
import { IndexedDbStore } from "../store/indexeddb.js";
import { BackupReader, BackupWriter } from "./backup-format.js";
import { type BackupHead, partsOf, writeLines } from "./backup-lines.js";
import { inOrder } from "./backup-order.js";
import { newPassphrase, normal } from "./new-passphrase.js";
import { stretched } from "./stretch-web.js";

/**
 * Everything of a host as it is at one moment, sealed under a passphrase: the same file as in Node. Whoever uses the
 * host may go on. The file is read again before it is given out.
 *
 * @param host an open host, or the name of one.
 * @throws AgentPairError `no_store`, `invalid_argument` for a passphrase that is too short, `no_memory`, and what
 * `Host.open` throws.
 */
export async function backup(host: BrowserHost | string, passphrase: string): Promise<Blob> {
  const chosen = newPassphrase(passphrase);
  const name = typeof host === "string" ? host : host.name;
  if (!(await BrowserHost.exists(name))) throw noStore(name);
  await init();
  const store = await IndexedDbStore.open(name);
  try {
    const { records, entries } = await store.snapshot();
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const writer = await BackupWriter.begin((bytes) => pieces.push(bytes), chosen, stretched);
    const created = new Date().toISOString();
    const head: BackupHead = { agentpair: "backup", v: 1, created_at: created, protection: "browser" };
    await writeLines(writer, head, inOrder(records), entries, breathe);
    const file = new Blob(pieces, { type: "application/octet-stream" });
    // A backup that cannot be read is found now, not when it is needed.
    for await (const _ of partsOf((await openBackup(file, chosen)).pieces(), nameOf(file)));
    return file;
  } finally {
    await store.close();
  }
}

/** Opens a backup. @throws AgentPairError `no_backup`, `backup_too_new`, `no_memory`. */
export function openBackup(file: Blob, passphrase: string): Promise<BackupReader> {
  let at = 0;
  const read = async (size: number) => {
    const bytes = new Uint8Array(await file.slice(at, at + size).arrayBuffer());
    at += bytes.length;
    return bytes;
  };
  return BackupReader.begin({ path: nameOf(file), read }, normal(passphrase), stretched);
}

/** How a file is called in errors. */
export function nameOf(file: Blob): string {
  return file instanceof File && file.name !== "" ? file.name : "file";
}

/** Lets the page have its turn. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

export function noStore(name: string): AgentPairError {
  return new AgentPairError("no_store", "caller", `there is no AgentPair called "${name}" in this browser`);
}
