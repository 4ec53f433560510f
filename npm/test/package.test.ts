import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { installed } from "./support/installed.ts";

const run = promisify(execFile);
const NPM = join(import.meta.dirname, "..");
const TOOLS = join(NPM, "node_modules");

/** A folder into which the package was installed from its tarball, as a user would. */
const folder = await installed();

/** Runs a script in the folder; resolves with what it prints. */
async function inFolder(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const { stdout, stderr } = await run(process.execPath, [name], { cwd: folder });
  assert.equal(stderr, "");
  return stdout;
}

const USE = `
  const host = await Host.open({ dataDir: "./data", network: false, label: "me" });
  await init();
  const { agentId, label } = await host.me();
  await host.close();
  let code;
  try { verifyReceipt("{}"); } catch (error) { code = error instanceof AgentPairError && error.code; }
  console.log(/^ed25519:[\\w-]{43}$/.test(agentId), label, code);
`;

test("ES modules import it", async () => {
  const printed = await inFolder(
    "esm.mjs",
    `import { AgentPairError, Host, init, verifyReceipt } from "agentpair";${USE}`,
  );
  assert.equal(printed, "true me invalid_receipt\n");
});

test("CommonJS requires it", async () => {
  const text = `const { AgentPairError, Host, init, verifyReceipt } = require("agentpair"); (async () => {${USE}})();`;
  assert.equal(await inFolder("cjs.cjs", text), "true me invalid_receipt\n");
});

test("each of its entries is there, and nothing else can be reached", async () => {
  const names = ["node", "browser", "mcp", "testing", "package.json"];
  const entries = ["agentpair", ...names.map((name) => `agentpair/${name}`)];
  const text = `
    for (const name of ${JSON.stringify(entries)}) require(name);
    for (const name of ["agentpair/dist/host/loop.js", "agentpair/src/node.ts"]) {
      try { require(name); console.log(name); } catch (error) { console.log(error.code); }
    }`;
  const printed = await inFolder("entries.cjs", text);
  assert.equal(printed, "ERR_PACKAGE_PATH_NOT_EXPORTED\n".repeat(2));
});

test("TypeScript finds its types, in Node and for bundlers", async () => {
  writeFileSync(
    join(folder, "use.mts"),
    `import { Host, type BondView, type FeedItem, verifyReceipt } from "agentpair";
     import { httpHandler } from "agentpair/mcp";
     import { MemoryStore } from "agentpair/testing";
     export async function first(host: Host): Promise<BondView | undefined> {
       for await (const item of host.events({ since: 0 })) use(item);
       return (await host.bonds())[0];
     }
     function use(item: FeedItem) { if (item.event.event === "message") console.log(item.event.body); }
     export const serve = (host: Host, request: Request): Promise<Response> => httpHandler(host)(request);
     export const made = [new MemoryStore(), verifyReceipt("{}").sha256.length] as const;`,
  );
  // The user's own types of Node.
  symlinkSync(join(TOOLS, "@types"), join(folder, "node_modules/@types"));
  for (const [module, moduleResolution] of [
    ["NodeNext", "NodeNext"],
    ["ESNext", "bundler"],
  ]) {
    const compilerOptions = { strict: true, noEmit: true, module, moduleResolution, target: "ES2023", types: ["node"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.mts"] }));
    await run(join(TOOLS, ".bin/tsc"), ["--project", folder]).catch((error) => assert.fail(error.stdout));
  }
});

test("it can be bundled for a browser, without anything of Node", async () => {
  writeFileSync(join(folder, "page.mjs"), `import { Host, init } from "agentpair"; console.log(Host, init);`);
  const options = { bundle: true, write: false, format: "esm", platform: "browser", logLevel: "silent" } as const;
  const { outputFiles, warnings } = await build({ ...options, entryPoints: [join(folder, "page.mjs")] });
  assert.deepEqual(warnings, []);
  assert.doesNotMatch(outputFiles[0]?.text ?? "", /from ?"node:/);
});

test("a Worker imports it", async (t) => {
  const text = `
    import { AgentPairError, Host, MemoryStore, QuestionList, safetyNumber, verifyReceipt } from "./agentpair/workerd.js";
    export default { async fetch() {
      const parts = { store: new MemoryStore(), human: new QuestionList(), network: false, relay: "https://relay.example" };
      const host = await Host.start({ ...parts, onProblem: console.error, safetyNumber });
      const { agentId } = await host.me();
      await host.close();
      let code;
      try { verifyReceipt("{}"); } catch (error) { code = error instanceof AgentPairError && error.code; }
      return Response.json([agentId.length, code]);
    } };`;
  writeFileSync(join(folder, "worker.js"), text);
  symlinkSync(join(folder, "node_modules/agentpair/dist"), join(folder, "agentpair"));
  const worker = new Miniflare({
    rootPath: folder,
    modulesRoot: folder,
    modules: true,
    scriptPath: join(folder, "worker.js"),
    modulesRules: [
      { type: "ESModule", include: ["**/*.js"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    compatibilityDate: "2026-07-01",
    cf: false,
  });
  t.after(() => worker.dispose());
  const answer = await worker.dispatchFetch("http://worker/");
  assert.deepEqual(await answer.json(), [51, "invalid_receipt"]);
});

test("its files are what they should be", () => {
  const root = join(folder, "node_modules/agentpair");
  const { exports, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.deepEqual(Object.keys(exports), [".", "./node", "./browser", "./mcp", "./testing", "./package.json"]);
  assert.equal(dependencies, undefined);
  const files = readdirSync(root, { recursive: true }).map(String);
  assert.ok(files.includes("dist/wasm/agentpair_bg.wasm"));
  assert.deepEqual(
    files.filter((file) => /(^|\/)(src|test|scripts)(\/|$)|\.map$|tsbuildinfo/.test(file)),
    [],
  );
});
