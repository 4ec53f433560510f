import { Client, type Transport } from "@modelcontextprotocol/client";
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as SdkTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Wire } from "./wire.ts";

/**
 * Which client speaks: that of 2026 as it comes, the same negotiating revision 2026-07-28, or that of the first SDK.
 */
export type Kind = "client" | "client-2026" | "sdk";
export const KINDS: readonly Kind[] = ["client", "client-2026", "sdk"];

/** A form that the server asks the human to fill in. */
export interface Form {
  message: string;
  requestedSchema?: { properties?: { [name: string]: unknown }; required?: string[] };
}

/** What the human, or a client in its place, does with a form. */
export interface Filled {
  action: "accept" | "decline" | "cancel";
  content?: { [name: string]: string | number | boolean | string[] };
}

/** A result of `tools/call`. */
export interface CallResult {
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** What the tests need of a client. */
export interface AnyClient {
  connect(transport: Transport & SdkTransport): Promise<void>;
  callTool(
    params: { name: string; arguments: { [name: string]: unknown } },
    options: { signal?: AbortSignal; timeout: number },
  ): Promise<CallResult>;
  listTools(): Promise<{
    tools: { name: string; description?: string; outputSchema?: object; inputSchema: object; annotations?: object }[];
  }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string; arguments?: { name: string }[] }[] }>;
  getPrompt(params: { name: string; arguments: { [name: string]: string } }): Promise<{ messages: unknown[] }>;
  getInstructions(): string | undefined;
  getServerVersion(): { name: string; version: string } | undefined;
  close(): Promise<void>;
}

/** Connects a client. Without `fill` it cannot elicit. */
export async function connect(
  kind: Kind,
  wire: Wire,
  fill?: (form: Form) => Filled | Promise<Filled>,
): Promise<AnyClient> {
  const capabilities = fill ? { elicitation: {} } : {};
  const info = { name: "agentpair-test", version: "1.0.0" };
  let client: AnyClient;
  if (kind === "sdk") {
    const sdk = new SdkClient(info, { capabilities });
    if (fill) sdk.setRequestHandler(ElicitRequestSchema, ({ params }) => fill(params as Form) as never);
    const call = sdk.callTool.bind(sdk);
    const callTool: AnyClient["callTool"] = (params, options) =>
      call(params, undefined, options) as unknown as Promise<CallResult>;
    client = Object.assign(sdk as unknown as AnyClient, { callTool });
  } else {
    const negotiation = kind === "client-2026" ? { versionNegotiation: { mode: "auto" as const } } : {};
    const newer = new Client(info, { capabilities, ...negotiation });
    if (fill) newer.setRequestHandler("elicitation/create", ({ params }) => fill(params as Form) as never);
    client = newer as unknown as AnyClient;
  }
  await client.connect(wire as unknown as Transport & SdkTransport);
  return client;
}
