// What clients see of the server before they call anything.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openHost } from "../../support/hosts.ts";
import { Desk } from "./support/server.ts";

const SNAPSHOT = join(import.meta.dirname, "surface.snapshot");
const asText = { serializers: [(value: unknown) => JSON.stringify(value, undefined, 1)] };
const offline = { relay: "http://127.0.0.1:9", network: false };

// Changed on purpose? `scripts/node --test --test-update-snapshots npm/test/mcp/tools/surface.test.ts`
test("the tools, resources and prompts are these", async (t) => {
  const { client } = await Desk.open(t, await openHost(t, offline));
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const instructions = client.getInstructions();
  t.assert.fileSnapshot({ instructions, tools, resources, resourceTemplates, prompts }, SNAPSHOT, asText);
});

test("both generations of the protocol list the same tools", async (t) => {
  const host = await openHost(t, offline);
  const [old, now] = [await Desk.open(t, host), await Desk.open(t, host, { era: "2026" })];
  const listed = async ({ client }: Desk) => JSON.parse(JSON.stringify((await client.listTools()).tools));
  assert.deepEqual(await listed(now), await listed(old));
});

test("descriptions fit, put safety first, and all annotations are set", async (t) => {
  const { client } = await Desk.open(t, await openHost(t, offline));
  const { tools } = await client.listTools();
  assert.equal(tools.length, 20);
  for (const { name, title = "", description = "", annotations = {}, outputSchema = {} } of tools) {
    assert.match(name, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(title.length > 0 && description.length < 2_048, `${name}: ${description.length}`);
    // The line on safety comes first, and alone.
    assert.match(description, /^[A-Z`][^\n]{20,200}\.\n/, name);
    const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    assert.deepEqual(Object.keys(annotations).sort(), hints.sort(), name);
    assert.equal((outputSchema as { type?: string }).type, "object", name);
  }
});

test("instructions are short, and name and version are those of the package", async (t) => {
  const { client } = await Desk.open(t, await openHost(t, offline));
  const instructions = client.getInstructions() ?? "";
  assert.ok(instructions.length > 200 && instructions.length < 1_000, `${instructions.length} characters`);
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"));
  const { name, version: told } = client.getServerVersion() ?? {};
  assert.deepEqual([name, told], ["agentpair", version]);
});

test("no argument of a tool is consent, a PIN, or a path", async (t) => {
  const { client } = await Desk.open(t, await openHost(t, offline));
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    const { properties = {}, additionalProperties } = inputSchema as {
      properties?: object;
      additionalProperties?: boolean;
    };
    assert.equal(additionalProperties, false, name);
    for (const argument of Object.keys(properties))
      assert.doesNotMatch(argument, /pin$|^human|consent|path|approved/, name);
  }
});
