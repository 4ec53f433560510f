import { request } from "node:http";
import type { TestContext } from "node:test";
import { ApprovalPage } from "../../../dist/approve/page-server.js";
import { openTwo, type Pair, pair } from "../../support/hosts.ts";

/** What was answered. */
export interface Answer {
  status: number;
  headers: { [name: string]: string | string[] | undefined };
  body: string;
}

/** Sends a request just as it is given. */
export function ask(page: ApprovalPage, method: string, path: string, headers: object, body = ""): Promise<Answer> {
  const { port } = new URL(page.url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers: { ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** What a browser sends for the page. */
export function own(page: ApprovalPage): { [name: string]: string } {
  const { host, origin, hash } = new URL(page.url);
  return { host, origin, authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" };
}

/** Calls as the page does. */
export function call(page: ApprovalPage, path: string, body: unknown, headers: object = {}): Promise<Answer> {
  return ask(page, "POST", path, { ...own(page), ...headers }, JSON.stringify(body));
}

/** Two hosts with a bond, and the page of the first. */
export async function open(t: TestContext, relay: string): Promise<Pair & { page: ApprovalPage }> {
  const two = await pair(...(await openTwo(t, relay)));
  const page = await ApprovalPage.start(two.alice);
  t.after(() => page.close());
  return { ...two, page };
}
