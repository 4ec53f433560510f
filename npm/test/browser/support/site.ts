import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Afterwards } from "../../support/scratch.ts";

const DIST = join(import.meta.dirname, "../../../dist");
const TYPES: { readonly [ending: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".wasm": "application/wasm",
};
const PAGE = `<!doctype html><html lang="en"><title>test</title><script type="module" src="/page.js"></script></html>`;
const SCRIPT = `import * as agentpair from "/agentpair/browser.js"; globalThis.agentpair = agentpair;`;

/** A static server on loopback, with the strictest policy under which the package runs. */
export class Site {
  readonly origin: string;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", ({ url = "/" }) => this.asked.push(url));
  }

  /**
   * Starts one. It ends with the test, or the file.
   *
   * @param relays base URLs that a page may connect to.
   * @param options `folder` is what is served; the built package under /agentpair/ and a page that imports it unless
   * said otherwise. `isCached`: whether browsers may keep files, so that not each page asks for all of them again.
   */
  static async start(
    t: Afterwards,
    relays: string[] = [],
    { folder, isCached = folder === undefined }: { folder?: string; isCached?: boolean } = {},
  ): Promise<Site> {
    const connect = ["'self'", ...relays, ...relays.map((relay) => relay.replace(/^http/, "ws"))].join(" ");
    const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src ${connect}`;
    const server = createServer(({ url = "/" }, response) => {
      const path = normalize(decodeURIComponent(url.split("?")[0] ?? ""));
      const found = folder === undefined ? ofPackage(path) : fileIn(folder, path === "/" ? "/index.html" : path);
      const ending = path === "/" ? ".html" : extname(path);
      response.writeHead(found === undefined ? 404 : 200, {
        "content-type": TYPES[ending] ?? "text/plain",
        "content-security-policy": policy,
        "cache-control": isCached ? "max-age=3600" : "no-store",
      });
      response.end(found);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return new Site(server);
  }

  /** Nothing answers any more. */
  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function ofPackage(path: string): string | Buffer | undefined {
  if (path === "/") return PAGE;
  if (path === "/page.js") return SCRIPT;
  return path.startsWith("/agentpair/") ? fileIn(DIST, path.slice("/agentpair".length)) : undefined;
}

function fileIn(folder: string, path: string): Buffer | undefined {
  try {
    return readFileSync(join(folder, path));
  } catch {
    return undefined;
  }
}
