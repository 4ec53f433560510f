import type { Call } from "../call.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "serve MCP on standard input and output",
  register(command) {
    act(command, async (call: Call) => {
      const { serveStdio } = await import("../../mcp/index.js");
      await serveStdio(call.open);
    });
  },
} satisfies Verb;
