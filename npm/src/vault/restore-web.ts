import { AgentPairError } from "../errors.js";
import { BrowserHost, DEFAULT_NAME } from "../host/browser-host.js";
import { Host } from "../host/host.js";
import { QuestionList } from "../host/human.js";
import { safetyNumber } from "../host/safety-web.js";
import { init } from "../load/browser.js";
import { IndexedDbStore } from "../store/indexeddb.js";
import { MemoryDisk, MemoryStore } from "../store/memory.js";
import type { LogName } from "../store/store.js";
import { damaged } from "./backup-format.js";
import { type BackupCounts, type BackupHead, partsOf } from "./backup-lines.js";
import { breathe, nameOf, openBackup } from "./backup-web.js";
import { type Restored, wakeRestored } from "./restored.js";

/** Lines after which the page has its turn. */
const BREATH = 500;

/**
 * Puts a backup into a place that is empty. Everything is unpacked and checked in memory first, and the host is told
 * what a restored one has to know; then it is there whole, in one transaction.
 *
 * @throws AgentPairError `store_not_empty`, `wrong_passphrase`, `backup_damaged`, `backup_too_new`, `no_backup`,
 * `no_memory`, `storage_unavailable`, `storage_full`.
 */
export async function restore(
  file: Blob,
  passphrase: string,
  { name = DEFAULT_NAME }: { name?: string | undefined } = {},
): Promise<Restored> {
  await init();
  if (await BrowserHost.exists(name)) throw notEmpty(name);
  const path = nameOf(file);
  const disk = new MemoryDisk();
  const { head, counts } = await unpack(file, passphrase, disk);
  const parts = { store: new MemoryStore(disk), human: new QuestionList(), network: false, relay: "", safetyNumber };
  const bonds = await wakeRestored(Host.start({ ...parts, onProblem: () => {} }), counts, path);
  const memory = new MemoryStore(disk);
  const records = await memory.transact(0, ({ changes }) => changes);
  const all = (log: LogName) => memory.entries(log, 0, Number.MAX_SAFE_INTEGER);
  const entries = (await all("feed")).concat(await all("audit"));
  const store = await IndexedDbStore.open(name);
  try {
    if (!(await store.fill(records, entries))) throw notEmpty(name);
  } finally {
    await store.close();
  }
  return { createdAt: head.created_at, protection: head.protection, bonds, ...counts };
}

async function unpack(
  file: Blob,
  passphrase: string,
  disk: MemoryDisk,
): Promise<{ head: BackupHead; counts: BackupCounts }> {
  const path = nameOf(file);
  const store = new MemoryStore(disk);
  let head: BackupHead | undefined;
  let counts: BackupCounts | undefined;
  let lines = 0;
  for await (const part of partsOf((await openBackup(file, passphrase)).pieces(), path)) {
    if (part.part === "head") head = part.head;
    else if (part.part === "record") await store.transact(undefined, (to) => to.write([part.record], []));
    else if (part.part === "entry") await store.transact(undefined, (to) => to.write([], [part.entry]));
    else counts = part.counts;
    lines += 1;
    if (lines % BREATH === 0) await breathe();
  }
  if (!head || !counts) throw damaged(path, "odd content");
  return { head, counts };
}

function notEmpty(name: string): AgentPairError {
  const text = `there is an AgentPair called "${name}" in this browser already, and nothing is ever restored over one: make a backup of it and wipe it first`;
  return new AgentPairError("store_not_empty", "policy", text);
}
