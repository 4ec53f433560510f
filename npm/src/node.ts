// The package in Node: loaded as soon as it is imported.

export * from "./common.js";
export { ApprovalFiles } from "./host/approval-files.js";
export { NodeHost as Host, type OpenOptions } from "./host/node-host.js";
export { safetyNumber } from "./host/safety-thread.js";
export { init } from "./load/node.js";
export { SqliteStore, type StoreOptions } from "./store/sqlite.js";
export { type BackupDone, backup } from "./vault/backup.js";
export type { BackupCounts } from "./vault/backup-lines.js";
export { type Keychain, SystemKeychain } from "./vault/keychain.js";
export { type PassphraseSource, passphraseFromFile } from "./vault/passphrase.js";
export { type Protected, protectKeys } from "./vault/protect.js";
export type { Protection } from "./vault/protection.js";
export { restore } from "./vault/restore.js";
export type { Restored } from "./vault/restored.js";
export { type Wiped, wipe } from "./vault/wipe.js";
