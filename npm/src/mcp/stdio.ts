import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { Host, type OpenOptions } from "../node.js";
import { newServer } from "./server.js";
import { State } from "./state.js";

/** Standard input and output, and when they ended. */
class Wire extends StdioServerTransport {
  readonly ended: Promise<void>;
  #end = () => {};

  constructor() {
    super();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#end();
  }
}

/**
 * Serves one client on standard input and output: JSON-RPC there, and words on standard error. Opens the host, and
 * closes it when standard input ends, or the process is asked to end.
 *
 * @throws AgentPairError as `Host.open` does.
 */
export async function serveStdio(options: OpenOptions = {}): Promise<void> {
  // Whatever prints something must not break the protocol.
  console.log = console.info = console.debug = console.error;
  const host = await Host.open(options);
  const wire = new Wire();
  const end = () => void wire.close();
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    const state = new State(host);
    serve(() => newServer(state), { transport: wire, onerror: tell });
    await wire.ended;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
    await host.close();
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The kind of an error only: its words may hold what a client or a peer sent. */
function tell(error: Error): void {
  const { code } = error as { code?: unknown };
  const kind = typeof code === "string" || typeof code === "number" ? ` (${code})` : "";
  console.error(
    `agentpair: a message of the client was not understood, or could not be answered: ${error.name}${kind}`,
  );
}
