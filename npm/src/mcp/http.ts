import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { BaseHost } from "../node.js";
import { newServer } from "./server.js";
import { State } from "./state.js";

/**
 * Answers requests of Streamable HTTP, of both generations of the protocol. Whoever reaches it can act for the host's
 * owner: put it behind an address of this machine, or behind a login of your own. Requests by way of another host name
 * than this machine's are refused (403), so that no web page can reach it.
 */
export function httpHandler(host: BaseHost): (request: Request) => Promise<Response> {
  const state = new State(host);
  const { fetch } = createMcpHandler(() => newServer(state));
  return async (request) => {
    const refused =
      (request.headers.has("host") ? hostHeaderValidationResponse(request, localhostAllowedHostnames()) : undefined) ??
      originValidationResponse(request, localhostAllowedOrigins());
    return refused ?? fetch(request);
  };
}
