import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { OpenOptions } from "../host/node-host.js";

type Environment = { readonly [name: string]: string | undefined };

/** The data directory that a host would be opened with: absolute. */
export function dataDirOf({ dataDir }: OpenOptions, env: Environment = process.env): string {
  return resolve(dataDir ?? env.AGENTPAIR_DATA_DIR ?? join(homedir(), ".agentpair"));
}

/** The base URL of the relay that a host would be opened with. */
export function relayOf({ relay }: OpenOptions, env: Environment = process.env): string {
  return (relay ?? env.AGENTPAIR_RELAY_URL ?? "http://127.0.0.1:3001").replace(/\/+$/, "");
}
