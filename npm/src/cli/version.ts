import { readFileSync } from "node:fs";

/** The version of this package. */
export function version(): string {
  // Bundled code lies as deep in dist/ as this file does in src/.
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
