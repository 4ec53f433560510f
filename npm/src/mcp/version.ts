import { createRequire } from "node:module";

/** The version of this package. By its name, so that it is found from wherever a bundler puts this. */
export const VERSION: string = createRequire(import.meta.url)("agentpair/package.json").version;
