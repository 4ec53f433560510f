// workerd gives a compiled module to an import of a .wasm file, which TypeScript has no way to know.
// @ts-expect-error
import core from "../wasm/agentpair_bg.wasm";
import { initSync } from "../wasm/agentpair.js";

initSync({ module: core as WebAssembly.Module });

/** Loads the protocol core. In a Worker that has already happened. */
export async function init(): Promise<void> {}
