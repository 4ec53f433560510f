// The package in a browser: await `init()` first.

export * from "./common.js";
export { BaseHost as Host } from "./common.js";
export { safetyNumber } from "./host/safety.js";
export { init } from "./load/browser.js";
export { MemoryDisk, MemoryStore } from "./store/memory.js";
