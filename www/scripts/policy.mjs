/**
 * The page's Content-Security-Policy: its own files and the relays, and nothing else. Nothing inline, no evaluation of
 * text; WebAssembly is compiled from a file of the page.
 *
 * @param {string[]} relays base URLs
 */
export function policy(relays) {
  const origins = relays.map((relay) => new URL(relay).origin);
  const sockets = origins.map((origin) => origin.replace(/^http/, "ws"));
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${["'self'", ...origins, ...sockets].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
