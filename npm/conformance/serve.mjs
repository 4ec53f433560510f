// Serves the MCP server of a host over HTTP on loopback, for a test suite that takes a URL.

import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { httpHandler } from "agentpair/mcp";

/**
 * @param {import("agentpair").BaseHost} host
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function serve(host) {
  const handle = httpHandler(host);
  const server = createServer(async (incoming, outgoing) => {
    try {
      const answer = await handle(requestOf(incoming, outgoing));
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body) await pipeline(Readable.fromWeb(answer.body), outgoing);
      else outgoing.end();
    } catch (error) {
      // A client that went away in the middle is no fault.
      if (!outgoing.destroyed) console.error(error);
      outgoing.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, stop };
}

/** @returns {Request} */
function requestOf(incoming, outgoing) {
  const { method, url, headers } = incoming;
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const init = { method, headers: headersOf(headers), signal: gone.signal };
  if (method !== "GET" && method !== "HEAD") Object.assign(init, { body: Readable.toWeb(incoming), duplex: "half" });
  return new Request(new URL(url, `http://${incoming.socket.localAddress}:${incoming.socket.localPort}`), init);
}

function headersOf(headers) {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) if (one !== undefined) all.append(name, one);
  }
  return all;
}
