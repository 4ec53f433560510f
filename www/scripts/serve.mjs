// Serves a folder of static files on this machine, as any static host would: `serve.mjs FOLDER`, with PORT (3002).
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Serves `folder` on a port of the loopback interface, 0 for a free one. */
export async function serve(folder, port = 0) {
  const root = resolve(folder);
  const server = createServer(async ({ method, url }, response) => {
    if (method !== "GET" && method !== "HEAD") return response.writeHead(405).end();
    const file = await fileOf(root, url);
    if (file === undefined) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "cache-control": file.includes(`${sep}assets${sep}`) ? "public, max-age=31536000, immutable" : "no-cache",
      "x-content-type-options": "nosniff",
    });
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response);
  });
  await new Promise((listening, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", listening);
  });
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

/** The file that a URL names, if it is one below the root. */
async function fileOf(root, url) {
  let path;
  try {
    path = decodeURIComponent(new URL(url, "http://page").pathname);
  } catch {
    return undefined;
  }
  const file = join(root, normalize(path.endsWith("/") ? `${path}index.html` : path));
  if (!file.startsWith(root + sep)) return undefined;
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() ? file : undefined;
}

if (import.meta.main ?? process.argv[1] === new URL(import.meta.url).pathname) {
  const [folder] = process.argv.slice(2);
  const { url } = await serve(folder, Number(process.env.PORT ?? 3002));
  console.log(`AgentPair page: ${url}`);
}
