// The package in a browser: await `init()` first; `Host.open` does it.

export * from "./common.js";
export { BrowserHost as Host, type BrowserOptions } from "./host/browser-host.js";
export type { HereOptions, ShownItem } from "./host/decide-here.js";
export { safetyNumber } from "./host/safety-web.js";
export { init } from "./load/browser.js";
export { IndexedDbStore } from "./store/indexeddb.js";
export { MemoryDisk, MemoryStore } from "./store/memory.js";
export { type Persistence, persistence } from "./store/persistence.js";
export type { BackupCounts } from "./vault/backup-lines.js";
export { backup } from "./vault/backup-web.js";
export { restore } from "./vault/restore-web.js";
export type { Restored } from "./vault/restored.js";
export { wipe } from "./vault/wipe-web.js";
