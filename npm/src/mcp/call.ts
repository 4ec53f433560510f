import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpServer,
  PROTOCOL_VERSION_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { BaseHost } from "../node.js";
import type { State } from "./state.js";

/** One call of a tool: who asks, and on what. */
export class Call {
  readonly state: State;
  readonly context: ServerContext;
  readonly #server: McpServer;

  constructor(state: State, server: McpServer, context: ServerContext) {
    this.state = state;
    this.context = context;
    this.#server = server;
  }

  get host(): BaseHost {
    return this.state.host;
  }

  /** Aborted when the client gives the call up. */
  get signal(): AbortSignal {
    return this.context.mcpReq.signal;
  }

  /** Whether the client speaks the protocol of 2026, where a server asks by answering. */
  get isModern(): boolean {
    return this.#envelope?.[PROTOCOL_VERSION_META_KEY] !== undefined;
  }

  /** Whether the client can show a form to its human. */
  get canAsk(): boolean {
    const ofRequest = this.#envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
    const capabilities = this.isModern ? ofRequest : this.#server.server.getClientCapabilities();
    const elicitation = capabilities?.elicitation;
    // Without modes it is forms: there was nothing else when the capability was new.
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  get #envelope(): { [key: string]: unknown } | undefined {
    return this.context.mcpReq.envelope;
  }
}
