// The package in a browser: await `init()` first.
export { init } from "./load/browser.js";
export * from "./common.js";
export { BaseHost as Host } from "./common.js";
export { safetyNumber } from "./host/safety.js";
export { MemoryDisk, MemoryStore } from "./store/memory.js";
