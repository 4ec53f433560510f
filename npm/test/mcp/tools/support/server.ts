// The MCP server in this process, and clients of both generations at it. Every result is checked.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { BaseHost } from "agentpair";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { httpHandler, serveConnection, type Times } from "../../../../dist/mcp/index.js";

/** A JSON object whose members the test looks at. */
// biome-ignore lint/suspicious/noExplicitAny: results are checked against the tool's own schema, not by TypeScript.
export type Json = { [name: string]: any };

/** A form that the client is asked to show. */
export type Form = ElicitRequest["params"];

/** What the client's human does with it. */
export type Fill = (form: Form) => ElicitResult | Promise<ElicitResult>;

/** How to connect. */
export interface Options {
  /** Of 2025 by the first SDK, or of 2026. */
  era?: "2025" | "2026";
  /** Answers forms; without it the client has no such capability. */
  fill?: Fill;
  /** The capability as the client words it. */
  elicitation?: { form?: { [name: string]: never }; url?: { [name: string]: never } };
  times?: Partial<Times>;
}

/** Options of a call. */
export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

interface AnyClient {
  callTool(params: { name: string; arguments: Json }, options: CallOptions & { timeout: number }): Promise<unknown>;
  listTools(): Promise<{ tools: Tool[] }>;
  listPrompts(): Promise<{ prompts: Json[] }>;
  getPrompt(params: { name: string; arguments: { [name: string]: string } }): Promise<{ messages: Json[] }>;
  listResources(): Promise<{ resources: Json[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: Json[] }>;
  readResource(params: { uri: string }): Promise<{ contents: Json[] }>;
  getInstructions(): string | undefined;
  getServerVersion(): { name: string; version: string } | undefined;
  close(): Promise<void>;
}

/** A tool as it is listed. */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  annotations?: Json;
  inputSchema: object;
  outputSchema?: object;
}

/** Most tokens of a result. */
const TOKENS = 20_000;

/** A client at a server. */
export class Desk {
  readonly client: AnyClient;
  /** Tokens of the longest result so far. */
  mostTokens = 0;
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(client: AnyClient) {
    this.client = client;
  }

  /** Connects a client to a server of that host. */
  static async open(t: TestContext, host: BaseHost, options: Options = {}): Promise<Desk> {
    const desk = new Desk(await (options.era === "2026" ? modern : legacy)(host, options));
    t.after(() => desk.client.close());
    // Schemas from elsewhere may name formats and keywords that Ajv does not know.
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { name, outputSchema = {} } of (await desk.client.listTools()).tools) {
      desk.#validators.set(name, ajv.compile(outputSchema));
    }
    return desk;
  }

  /** Calls a tool, and checks the result: schema, text, size. */
  async call(tool: string, args: Json = {}, options: CallOptions = {}): Promise<Json> {
    const params = { name: tool, arguments: args };
    const {
      content,
      structuredContent,
      isError = false,
    } = (await this.client.callTool(params, {
      timeout: 60_000,
      ...options,
    })) as { content: Json[]; structuredContent: Json; isError?: boolean };
    const where = `${tool} ${JSON.stringify(args).slice(0, 300)}: ${JSON.stringify(structuredContent ?? content).slice(0, 600)}`;
    const validate = this.#validators.get(tool);
    assert.ok(validate?.(structuredContent), `${where}\n${JSON.stringify(validate?.errors?.slice(0, 4))}`);
    const text = JSON.stringify(structuredContent);
    assert.deepEqual(content, [{ type: "text", text }], where);
    assert.equal(isError, structuredContent.ok === false, where);
    assert.ok(structuredContent.suggested_next.length > 0, where);
    const tokens = countTokens(text);
    this.mostTokens = Math.max(this.mostTokens, tokens);
    assert.ok(tokens < TOKENS, `${tokens} tokens: ${where}`);
    return structuredContent;
  }

  /** Calls a tool that succeeds. */
  async good(tool: string, args: Json = {}, options: CallOptions = {}): Promise<Json> {
    const result = await this.call(tool, args, options);
    assert.ok(result.ok, `${tool}: ${JSON.stringify(result.error)}`);
    return result;
  }

  /** Calls a tool that fails. Resolves with the error. */
  async bad(tool: string, args: Json = {}): Promise<Json> {
    const result = await this.call(tool, args);
    assert.ok(!result.ok, `${tool} did it: ${JSON.stringify(result).slice(0, 600)}`);
    return result.error;
  }
}

const INFO = { name: "agentpair-test", version: "1.0.0" };

function capabilitiesOf({ fill, elicitation = {} }: Options) {
  return fill ? { elicitation } : {};
}

async function legacy(host: BaseHost, options: Options): Promise<AnyClient> {
  const { fill, times } = options;
  const client = new SdkClient(INFO, { capabilities: capabilitiesOf(options) });
  if (fill) client.setRequestHandler(ElicitRequestSchema, ({ params }) => fill(params));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await serveConnection(host, theirs, times);
  await client.connect(ours);
  // The first SDK takes a schema in between.
  const callTool: AnyClient["callTool"] = (params, options) => client.callTool(params, undefined, options as object);
  return Object.assign(Object.create(client), { callTool }) as AnyClient;
}

async function modern(host: BaseHost, options: Options): Promise<AnyClient> {
  const { fill } = options;
  const client = new Client(INFO, {
    capabilities: capabilitiesOf(options),
    versionNegotiation: { mode: "auto" },
  });
  if (fill) client.setRequestHandler("elicitation/create", ({ params }) => fill(params as Form) as never);
  const handle = httpHandler(host);
  const fetch = (url: string | URL, init?: RequestInit) => handle(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  return client as unknown as AnyClient;
}
