import load from "../wasm/agentpair.js";

let loading: Promise<void> | undefined;

/**
 * Loads the protocol core: await it before anything else of this package is used. It loads once, however often it is
 * called; after a failure it may be tried again. The page's CSP has to allow `wasm-unsafe-eval`.
 *
 * @param source where the module is, if not beside this file.
 */
export function init(source?: URL | Response | Promise<Response> | WebAssembly.Module): Promise<void> {
  loading ??= load({ module_or_path: source ?? new URL("../wasm/agentpair_bg.wasm", import.meta.url) }).then(
    () => {},
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
