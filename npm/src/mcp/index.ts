// The MCP server. It is bundled with the SDK, and shares the host with the rest of the package.

import type { BaseHost } from "../node.js";
import { newServer } from "./server.js";
import { State, type Times } from "./state.js";

export { httpHandler } from "./http.js";
export type { Times } from "./state.js";
export { serveStdio } from "./stdio.js";

/** One end of a connection, as the MCP SDKs define it. */
export interface Connection {
  start(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: each SDK has its own types of messages.
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
}

/** Serves one client of the 2025 protocol on a connection of any kind, such as one in memory. */
export async function serveConnection(
  host: BaseHost,
  connection: Connection,
  times: Partial<Times> = {},
): Promise<void> {
  await newServer(new State(host, times)).connect(connection as Parameters<ReturnType<typeof newServer>["connect"]>[0]);
}
