// Bundles the command line and the MCP server with what they use of other packages, so that the published package has
// no dependency, and `npx agentpair` starts fast. Run by scripts/build-npm, after TypeScript.
//
// What lies in src/cli and src/mcp is bundled, in pieces that are loaded when they are needed. The rest of src/ stays
// as TypeScript left it in dist/, and is imported from there: wasm, error classes and stores exist once in a process.
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import { licences } from "./licences.mjs";

const NPM = resolve(import.meta.dirname, "..");
const SRC = join(NPM, "src");
const DIST = join(NPM, "dist");
const WORKER = resolve(NPM, "../worker-relay/build");
const BUNDLED = ["cli", "mcp"];
/** Every output lies one directory deep in dist/, so that the same relative path leads from each to the rest. */
const ENTRIES = {
  "bin/agentpair": "cli/agentpair.ts",
  "mcp/index": "mcp/index.ts",
  // The rest of the package uses it too.
  "cli/fetched": "cli/fetched.ts",
};
/** The declarations of entries that others import. */
const TYPES = ["mcp/index.d.ts", "cli/fetched.d.ts"];

if (!existsSync(join(WORKER, "index.js"))) fail("worker-relay/build is missing: run `make build-worker`");

/** Leaves what is not bundled where it is in dist/. */
const keepOutside = {
  name: "keep-outside",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, importer }) => {
      if (!importer.startsWith(SRC + sep)) return undefined;
      const target = relative(SRC, resolve(dirname(importer), path)).replaceAll(sep, "/");
      if (BUNDLED.includes(target.split("/")[0])) return undefined;
      if (!existsSync(join(DIST, target))) return { errors: [{ text: `dist/${target} is missing` }] };
      return { path: `../${target}`, external: true };
    });
  },
};

removeCompiled();
const { metafile } = await build({
  entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([out, source]) => [out, join(SRC, source)])),
  outdir: DIST,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.13",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  // Packages of questions are CommonJS, and require Node's own modules.
  banner: { js: `import{createRequire as __requireOf}from"node:module";const require=__requireOf(import.meta.url);` },
  metafile: true,
  logLevel: "warning",
  plugins: [keepOutside],
  absWorkingDir: NPM,
});
chmodSync(join(DIST, "bin/agentpair.js"), 0o755);
writeFileSync(join(DIST, "THIRD-PARTY.txt"), licences(metafile, NPM));
cpSync(join(NPM, "fetched"), join(DIST, "fetched"), { recursive: true });
cpSync(WORKER, join(DIST, "worker"), { recursive: true, dereference: true });

/** Removes what TypeScript made of the bundled files, but for the declarations of the entries. */
function removeCompiled() {
  const kept = new Set();
  for (const entry of TYPES) keep(entry);
  for (const place of BUNDLED) {
    for (const file of readdirSync(join(DIST, place), { recursive: true })) {
      const path = `${place}/${String(file).replaceAll(sep, "/")}`;
      if (/\.[jt]s$/.test(path) && !kept.has(path)) rmSync(join(DIST, path));
    }
    for (const { name, parentPath } of directories(join(DIST, place))) {
      if (readdirSync(join(parentPath, name)).length === 0) rmSync(join(parentPath, name), { recursive: true });
    }
  }

  /** A declaration, and those that it needs. */
  function keep(path) {
    if (kept.has(path) || !BUNDLED.includes(path.split("/")[0])) return;
    kept.add(path);
    for (const [, name] of readFileSync(join(DIST, path), "utf8").matchAll(/(?:from|import\() ?"([^"]+)"/g)) {
      if (name.startsWith(".")) keep(join(dirname(path), name).replaceAll(sep, "/").replace(/\.js$/, ".d.ts"));
      else if (!name.startsWith("node:")) fail(`the types of ${path} need ${name}, which is not a dependency`);
    }
  }
}

/** The directories in a directory, the inner ones first. */
function directories(place) {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .sort((one, other) => other.parentPath.length - one.parentPath.length);
}

function fail(text) {
  console.error(`bundle: ${text}`);
  process.exit(1);
}
