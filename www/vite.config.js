// Builds the page into dist/: a static folder. RELAYS (base URLs, separated by spaces) are the relays that it may talk
// to; the first is the one for new invites.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { policy } from "./scripts/policy.mjs";

const relays = (process.env.RELAYS ?? "http://127.0.0.1:3001").split(" ").filter(Boolean);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const { version } = JSON.parse(readFileSync(path("../npm/package.json"), "utf8"));

export default {
  root: path("."),
  define: { VERSION: JSON.stringify(version) },
  // Relative: the folder may lie anywhere below a host.
  base: "./",
  cacheDir: process.env.VITE_CACHE ?? path("node_modules/.vite"),
  resolve: {
    alias: {
      agentpair: path("../npm/dist/browser.js"),
      // What the writer of audit exports uses, in its build for browsers.
      "csv-stringify/sync": path("../npm/node_modules/csv-stringify/dist/esm/sync.js"),
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { fs: { allow: [path("..")] } },
  worker: { format: "es" },
  build: {
    outDir: process.env.OUT ?? path("dist"),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    license: { fileName: "THIRD-PARTY.md" },
  },
  plugins: [
    {
      name: "policy",
      transformIndexHtml: (_html, { server }) => [
        { tag: "meta", attrs: { name: "agentpair-relays", content: relays.join(" ") }, injectTo: "head-prepend" },
        // The development server injects scripts and styles that no policy of ours would let through.
        ...(server
          ? []
          : [
              {
                tag: "meta",
                attrs: { "http-equiv": "Content-Security-Policy", content: policy(relays) },
                injectTo: "head-prepend",
              },
            ]),
      ],
    },
  ],
};
