import { readFileSync } from "node:fs";
import { initSync } from "../wasm/agentpair.js";

// At once and synchronously: a module with a top-level await could not be loaded by `require()`.
initSync({ module: readFileSync(new URL("../wasm/agentpair_bg.wasm", import.meta.url)) });

/** Loads the protocol core. In Node that has already happened. */
export async function init(): Promise<void> {}
