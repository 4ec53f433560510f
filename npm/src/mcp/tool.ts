import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { AgentPairError } from "../node.js";
import { Call } from "./call.js";
import { failed, success } from "./result.js";
import { failure, waiting } from "./schemas.js";
import type { State } from "./state.js";

/** What a tool answers: its own fields, and what to do next. */
export type Answer<F extends z.ZodRawShape> = z.input<z.ZodObject<F>> & { suggested_next: string };

/** A tool as its file defines it. */
export interface Definition<I extends z.ZodObject, F extends z.ZodRawShape> {
  name: string;
  title: string;
  /** The first sentence is the one on safety. */
  description: string;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  input: I;
  /** The fields of a result that is `ok`. */
  fields: F;
  /** Throws an `AgentPairError` for a result that is not `ok`. */
  run(call: Call, args: z.output<I>): Promise<Answer<F> | InputRequiredResult>;
}

/** A tool that can be put on a server. */
export interface Tool {
  name: string;
  register(server: McpServer, state: State): void;
}

/** Makes a tool of its definition. */
export function tool<I extends z.ZodObject, F extends z.ZodRawShape>(definition: Definition<I, F>): Tool {
  const { name, title, description, annotations, input, fields } = definition;
  const config = { title, description, annotations, inputSchema: unchecked(input), outputSchema: outputOf(fields) };
  const register = (server: McpServer, state: State) => {
    server.registerTool(name, config, (args, context) => run(definition, new Call(state, server, context), args));
  };
  return { name, register };
}

async function run<I extends z.ZodObject, F extends z.ZodRawShape>(
  { name, input, run }: Definition<I, F>,
  call: Call,
  args: unknown,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const parsed = input.safeParse(args ?? {});
    if (!parsed.success) throw new AgentPairError("invalid_argument", "caller", faults(parsed.error));
    const answer = await run(call, parsed.data);
    return isInputRequiredResult(answer) ? answer : await success(call.state, answer as Answer<F>);
  } catch (thrown) {
    // Nobody reads the answer to a call that was given up.
    if (call.signal.aborted) throw thrown;
    const error = coded(thrown);
    if (error.blame === "bug") console.error(`agentpair: ${name} failed: ${error.code}`);
    return failed(call.state, error);
  }
}

function coded(thrown: unknown): AgentPairError {
  if (thrown instanceof AgentPairError) return thrown;
  const text = "something broke in this server that should not: report it";
  return new AgentPairError("unexpected", "bug", text, { cause: thrown });
}

function faults({ issues }: z.ZodError): string {
  const found = issues.slice(0, 5).map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
  return found.join("; ");
}

/** The result: `ok` tells which of the two shapes it has. */
function outputOf<F extends z.ZodRawShape>(fields: F) {
  const common = { more_waiting: z.int().optional(), suggested_next: z.string() };
  return z.discriminatedUnion("ok", [
    z.object({ ok: z.literal(true), ...fields, waiting: z.array(waiting), ...common }),
    z.object({ ok: z.literal(false), error: failure, waiting: z.array(waiting).optional(), ...common }),
  ]);
}

/** A schema that is only shown: arguments that do not fit get an error of this server's shape, not of the SDK's. */
function unchecked(schema: z.ZodObject): StandardSchemaWithJSON<unknown, unknown> {
  const { jsonSchema } = schema["~standard"];
  return { "~standard": { version: 1, vendor: "agentpair", validate: (value) => ({ value }), jsonSchema } };
}
