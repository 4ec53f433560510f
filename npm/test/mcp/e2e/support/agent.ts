import assert from "node:assert/strict";
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { codesIn } from "../../../support/human.ts";
import type { Afterwards } from "../../../support/scratch.ts";
import { type AnyClient, connect, type Filled, type Form, type Kind } from "./clients.ts";
import { type Place, Wire } from "./wire.ts";

/** A JSON object whose members the test looks at. */
// biome-ignore lint/suspicious/noExplicitAny: results are checked against the tool's own schema, not by TypeScript.
export type Json = { [name: string]: any };

/** What a peer wrote. */
export interface Frame {
  untrusted: true;
  source: "peer";
  peer: string;
  data: string;
  escaped?: true;
  truncated?: true;
  original_bytes?: number;
}

/** What waits for the human. */
export interface Waiting {
  pending_id: string;
  kind: string;
  peer?: string;
  thread?: Frame | string;
  question: string;
  expires_at: string;
  approval_path: string;
}

/** An error of a tool. */
export interface ToolError {
  code: string;
  message: string;
  blame: string;
}

/** Results stay below this many tokens. */
const TOKENS = 20_000;
/** Time for one call, in milliseconds. */
const CALL_MS = 60_000;
/** Time for what several calls wait for, in milliseconds. */
const WAIT_MS = 60_000;

/** How to start an agent. */
export interface AgentOptions extends Place {
  kind?: Kind;
  /** Fills in the forms that the server asks the human to; without it, the client cannot elicit. */
  fill?: (form: Form) => Filled | Promise<Filled>;
}

/**
 * A server process with a client. Every result is checked: against the tool's output schema, its text against its
 * structured content, its size.
 */
export class Agent {
  readonly wire: Wire;
  readonly client: AnyClient;
  readonly dataDir: string;
  /** Names of the tools that were called. */
  readonly called = new Set<string>();
  /** The tools, as they were listed. */
  readonly tools: { name: string; description?: string; inputSchema: object; annotations?: object }[];
  /** All that `heard` has read of the inbox. */
  readonly inbox: Json[] = [];
  /** Looks at every result too. */
  inspect: ((tool: string, result: Json, args: Json) => void) | undefined;
  readonly #validators: Map<string, ValidateFunction[]>;

  private constructor(
    wire: Wire,
    client: AnyClient,
    dataDir: string,
    tools: { name: string; inputSchema: object; outputSchema?: object }[],
  ) {
    this.wire = wire;
    this.client = client;
    this.dataDir = dataDir;
    this.tools = tools;
    this.#validators = new Map(tools.map(({ name, outputSchema = {} }) => [name, validatorsOf(outputSchema)]));
  }

  static async start(t: Afterwards, options: AgentOptions): Promise<Agent> {
    const wire = new Wire(t, options);
    const client = await connect(options.kind ?? "client", wire, options.fill);
    const { tools } = await client.listTools();
    for (const { name, outputSchema } of tools) assert.ok(outputSchema, `${name} has no output schema`);
    return new Agent(wire, client, options.dataDir, tools);
  }

  /** Calls a tool. Resolves with its structured content, good or bad. */
  async call(tool: string, args: Json = {}, options: { signal?: AbortSignal } = {}): Promise<Json> {
    this.called.add(tool);
    const result = await this.client.callTool({ name: tool, arguments: args }, { timeout: CALL_MS, ...options });
    return this.#checked(tool, args, result);
  }

  #checked(
    tool: string,
    args: Json,
    { content, structuredContent, isError = false }: Awaited<ReturnType<AnyClient["callTool"]>>,
  ) {
    const where = `${tool}: ${JSON.stringify(structuredContent ?? content).slice(0, 600)}`;
    const validators = this.#validators.get(tool);
    assert.ok(validators, `no tool ${tool}`);
    for (const validate of validators) {
      assert.ok(validate(structuredContent), `${where}\n${JSON.stringify(validate.errors?.slice(0, 4))}`);
    }
    const result = structuredContent as Json;
    assert.equal(content.length, 1, where);
    assert.equal(content[0]?.type, "text", where);
    const text = content[0]?.text ?? "";
    assert.equal(text, JSON.stringify(result), where);
    // A token has at least one byte: only long texts need to be counted.
    if (Buffer.byteLength(text) >= TOKENS)
      assert.ok(countTokens(text) < TOKENS, `${tool}: ${countTokens(text)} tokens`);
    assert.equal(isError, !result.ok, where);
    assert.equal(typeof result.suggested_next, "string", where);
    if (result.ok) assert.ok(Array.isArray(result.waiting), where);
    else assert.match(result.error.code, /^[a-z][a-z_]*$/, where);
    this.inspect?.(tool, result, args);
    return result;
  }

  /** Calls a tool that succeeds. */
  async good(tool: string, args: Json = {}, options: { signal?: AbortSignal } = {}): Promise<Json> {
    const result = await this.call(tool, args, options);
    assert.ok(result.ok, `${tool} ${JSON.stringify(args)}: ${JSON.stringify(result.error)}`);
    return result;
  }

  /** Calls a tool that fails. Resolves with the error. */
  async bad(tool: string, args: Json = {}): Promise<ToolError> {
    const result = await this.call(tool, args);
    assert.ok(!result.ok, `${tool} ${JSON.stringify(args)} succeeded: ${JSON.stringify(result)}`);
    return result.error;
  }

  /** Looks again after everything that happens until there is something to see. */
  async until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    const end = Date.now() + WAIT_MS;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      assert.ok(Date.now() < end, `waited in vain for ${what}`);
      await this.listen(500);
    }
  }

  /** Reads on in the inbox, waiting for news. */
  async listen(timeoutMs: number): Promise<Json> {
    const result = await this.good("inbox_wait", { timeout_ms: timeoutMs });
    this.inbox.push(...result.items);
    return result;
  }

  /** Waits until the inbox has shown such an item. */
  heard(is: (item: Json) => boolean, what: string): Promise<Json> {
    return this.until(async () => this.inbox.find(is), what);
  }

  /** What waits for the human now. */
  async waiting(): Promise<Waiting[]> {
    return (await this.good("list_bonds")).waiting;
  }

  /** Waits until the human is asked such a question. */
  question(kind: string, isAbout: (item: Waiting) => boolean = () => true): Promise<Waiting> {
    const look = async () => (await this.waiting()).find((item) => item.kind === kind && isAbout(item));
    return this.until(look, `a question: ${kind}`);
  }

  /** The human reads the next such question, and gives the agent the code of the decision. */
  async decide(kind: string, decision: "approve" | "reject" = "approve", isAbout?: (item: Waiting) => boolean) {
    const item = await this.question(kind, isAbout);
    const approval_code = codesIn(item.approval_path)[decision];
    const { pending_id } = item;
    const result = await this.good("human_approve", { pending_id, decision, approval_code });
    assert.deepEqual([result.pending_id, result.kind, result.decision], [pending_id, kind, decision]);
    return item;
  }

  /** How a session stands. */
  async session(thread: string, peer?: string): Promise<Json> {
    return (await this.good("session_status", { thread, ...(peer === undefined ? {} : { peer }) })).session;
  }

  /** Waits until a session stands as wanted. */
  sessionThat(thread: string, holds: (session: Json) => boolean, what: string): Promise<Json> {
    return this.until(async () => {
      const { ok, session, error } = await this.call("session_status", { thread });
      assert.ok(ok || error.code === "session_not_found", JSON.stringify(error));
      return ok && holds(session) ? session : undefined;
    }, what);
  }

  /** Goes away, as a client that is closed. */
  end(): Promise<void> {
    return this.wire.end();
  }
}

/** Compiling takes longer than anything else here: each schema once in a process. */
const compiled = new Map<string, ValidateFunction[]>();

/** A schema as clients read it: in the dialect of today, and in that of 2018, which older ones know. */
function validatorsOf(schema: object): ValidateFunction[] {
  const { $schema: _, ...rest } = schema as Json;
  const key = JSON.stringify(rest);
  const options = { strict: false, validateFormats: false };
  const found = compiled.get(key) ?? [new Ajv2020(options).compile(rest), new Ajv(options).compile(rest)];
  compiled.set(key, found);
  return found;
}

/** A string that is shown plain or in a frame. */
export function name(text: Frame | string): string {
  return typeof text === "string" ? text : text.data;
}
