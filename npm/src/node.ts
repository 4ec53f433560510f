// The package in Node: loaded as soon as it is imported.

export * from "./common.js";
export { ApprovalFiles } from "./host/approval-files.js";
export { NodeHost as Host, type OpenOptions } from "./host/node-host.js";
export { safetyNumber } from "./host/safety-thread.js";
export { init } from "./load/node.js";
export { SqliteStore } from "./store/sqlite.js";
