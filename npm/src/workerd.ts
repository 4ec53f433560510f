// The package in a Worker: loaded as soon as it is imported.

export * from "./common.js";
export { BaseHost as Host } from "./common.js";
export { safetyNumber } from "./host/safety.js";
export { init } from "./load/workerd.js";
export { MemoryDisk, MemoryStore } from "./store/memory.js";
