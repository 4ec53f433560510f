import { McpServer } from "@modelcontextprotocol/server";
import { INSTRUCTIONS } from "./instructions.js";
import { addPrompts } from "./prompts.js";
import { addResources } from "./resources.js";
import type { State } from "./state.js";
import { TOOLS } from "./tools/index.js";
import { VERSION } from "./version.js";

/** A server for one connection, or for one request over HTTP. What lasts between calls is in `state`. */
export function newServer(state: State): McpServer {
  const server = new McpServer(
    { name: "agentpair", title: "AgentPair", version: VERSION },
    {
      instructions: INSTRUCTIONS,
      // Nothing of this changes while a server runs.
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
      },
    },
  );
  for (const tool of TOOLS) tool.register(server, state);
  addResources(server, state);
  addPrompts(server);
  return server;
}
