import { initSync } from "../wasm/agentpair.js";
// @ts-expect-error: workerd gives a compiled module to an import of a .wasm file; TypeScript does not know.
import core from "../wasm/agentpair_bg.wasm";

initSync({ module: core as WebAssembly.Module });

/** Loads the protocol core. In a Worker that has already happened. */
export async function init(): Promise<void> {}
