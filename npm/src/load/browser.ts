import { AgentPairError } from "../errors.js";
import load from "../wasm/agentpair.js";

let loading: Promise<WebAssembly.Module> | undefined;

/**
 * Loads the protocol core: await it before anything else of this package is used. It loads once, however often it is
 * called; after a failure it may be tried again. The page's CSP has to allow `wasm-unsafe-eval`.
 *
 * @param source where the module is, if not beside this file.
 * @throws AgentPairError `core_failed`.
 */
export async function init(source?: URL | Response | Promise<Response> | WebAssembly.Module): Promise<void> {
  await compiled(source);
}

/** The protocol core as it was compiled: workers are given it, and have nothing to fetch. */
export function compiled(source?: URL | Response | Promise<Response> | WebAssembly.Module) {
  loading ??= begin(source).catch((cause: unknown) => {
    loading = undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    const text = `the protocol core cannot be loaded (${why}): look at the connection, and load the page again`;
    throw new AgentPairError("core_failed", "caller", text, { cause });
  });
  return loading;
}

async function begin(source?: URL | Response | Promise<Response> | WebAssembly.Module): Promise<WebAssembly.Module> {
  const found = source ?? new URL("../wasm/agentpair_bg.wasm", import.meta.url);
  const isModule = Object.prototype.toString.call(found) === "[object WebAssembly.Module]";
  const core = isModule ? (found as WebAssembly.Module) : await compile(found as URL | Response | Promise<Response>);
  await load({ module_or_path: core });
  return core;
}

async function compile(source: URL | Response | Promise<Response>): Promise<WebAssembly.Module> {
  const response = await (source instanceof URL ? fetch(source) : source);
  if (!response.ok) throw new Error(`${response.status} for ${response.url}`);
  // Not every static server knows the type.
  const isTyped = response.headers.get("content-type")?.startsWith("application/wasm");
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}
