// Answers of a relay that are none.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openHost } from "./support/hosts.ts";
import { within } from "./support/within.ts";

test("a relay that announces more than anybody reads has its connection closed", async (t) => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const asked = once(server, "request") as Promise<[unknown, ServerResponse]>;
  const { port } = server.address() as AddressInfo;
  const host = await openHost(t, { relay: `http://127.0.0.1:${port}` });
  const inviting = host.invite({ timeoutMs: 60_000 }).catch(() => {});
  const [, response] = await asked;
  const closed = once(response, "close");
  response.writeHead(200, { "content-length": 1e12 });
  response.write("{");
  await within(closed, "the end of the connection", 10_000);
  await host.close();
  await inviting;
});
