// What is bundled: no other package is needed, nothing is there twice, and the server starts from it.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { Owner } from "./support/run.ts";

const NPM = resolve(import.meta.dirname, "../..");
const DIST = join(NPM, "dist");
const { version, devDependencies } = JSON.parse(readFileSync(join(NPM, "package.json"), "utf8"));

/** Every file that was bundled. */
const bundled = ["bin", "chunks", "cli", "mcp"].flatMap((place) =>
  readdirSync(join(DIST, place), { recursive: true })
    .map((file) => join(DIST, place, String(file)))
    .filter((file) => file.endsWith(".js")),
);

/** What the files import, as a parser reads it. */
async function imports(files: string[]) {
  const { metafile } = await build({
    absWorkingDir: DIST,
    entryPoints: files,
    bundle: true,
    write: false,
    outdir: "unused",
    format: "esm",
    platform: "node",
    metafile: true,
    logLevel: "silent",
    plugins: [
      {
        name: "look only",
        setup: ({ onResolve }) =>
          onResolve({ filter: /.*/ }, ({ kind, path }) =>
            kind === "entry-point" ? undefined : { path, external: true },
          ),
      },
    ],
  });
  return Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports.map(({ path, kind }) => ({ file, path, kind })),
  );
}

test("the bundle needs Node and the rest of this package, and nothing else", async () => {
  assert.ok(bundled.length > 10);
  let inside = 0;
  for (const { file, path } of await imports(bundled)) {
    if (path.startsWith(".")) {
      assert.ok(existsSync(resolve(DIST, dirname(file), path)), `${file} imports ${path}`);
      inside += 1;
    } else assert.ok(builtinModules.includes(path.replace(/^node:/, "")), `${file} imports ${path}`);
  }
  assert.ok(inside > 20);
});

test("what the package has elsewhere is not in the bundle a second time", () => {
  for (const file of bundled) {
    const text = readFileSync(file, "utf8");
    assert.doesNotMatch(text, /class AgentPairError\b|class SqliteStore\b|__wbindgen_malloc/, file);
  }
});

test("the command can be executed, and loads nothing before it knows the version of Node", async () => {
  const file = join(DIST, "bin/agentpair.js");
  assert.match(readFileSync(file, "utf8"), /^#!\/usr\/bin\/env node\n/);
  assert.equal(statSync(file).mode & 0o111, 0o111);
  const found = (await imports([file])).map(({ path, kind }) => `${kind} ${path.replace(/-.*/, "")}`);
  // Older ones have node:module as well.
  assert.deepEqual(found.sort(), ["dynamic-import ../chunks/main", "import-statement node:module"]);
});

test("the licences of all that is inside are there", () => {
  const text = readFileSync(join(DIST, "THIRD-PARTY.txt"), "utf8");
  for (const name of ["commander", "csv-stringify", "csv-parse", "@modelcontextprotocol/server", "zod"]) {
    assert.ok(text.includes(`\n${name} ${devDependencies[name]} (`), name);
  }
  assert.match(text, /\n@inquirer\/core [\d.]+ \(MIT\)\n/);
  assert.doesNotMatch(text, /\n(esbuild|typescript|miniflare) /);
});

test("without a verb, and without a terminal, it serves MCP and nothing else on standard output", async (t) => {
  const owner = new Owner(t, "http://127.0.0.1:9");
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  for (const words of [[], ["mcp"]]) {
    const { stdout, stderr } = await owner.run(words, { input });
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      answers.map(({ id }) => id),
      [1, 2],
    );
    assert.deepEqual(answers[0].result.serverInfo.name, "agentpair");
    assert.deepEqual(answers[0].result.serverInfo.version, version);
    assert.ok(answers[1].result.tools.some(({ name }: { name: string }) => name === "pair_init"));
    assert.equal(stderr, "");
  }
});
