import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentPairError, asAgentPairError } from "../errors.js";
import type { Host } from "../host/host.js";
import { decideShown } from "./decide.js";
import { type PageFile, pageFiles } from "./page-files.js";
import { BODY_LIMIT, bodyOf, bringsJson, HEADERS, PageGuard } from "./page-guard.js";
import { pageState } from "./page-items.js";

/** How a page shall be. */
export interface ApprovalPageOptions {
  /** It ends by itself after that many milliseconds without a human; 15 minutes unless said otherwise. */
  idleMs?: number | undefined;
}

const IDLE_MS = 15 * 60_000;

/**
 * A page on this machine on which the human decides what waits. Whoever has its address can decide, so it is for the
 * human's terminal and browser only. Where a PIN is set, the address alone is not enough.
 */
export class ApprovalPage {
  /** The address, with the token that opens it behind `#`, where no browser sends it to anybody. */
  readonly url: string;
  /** Resolves when the page has ended, with the reason. */
  readonly ended: Promise<"idle" | "closed">;
  readonly #host: Host;
  readonly #server: Server;
  readonly #guard: PageGuard;
  readonly #files: Map<string, PageFile>;
  readonly #idleMs: number;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #end: (reason: "idle" | "closed") => void = () => {};

  private constructor(host: Host, server: Server, { idleMs = IDLE_MS }: ApprovalPageOptions) {
    const { port } = server.address() as AddressInfo;
    const token = randomBytes(32).toString("base64url");
    this.url = `http://127.0.0.1:${port}/#${token}`;
    this.#host = host;
    this.#server = server;
    this.#guard = new PageGuard(`127.0.0.1:${port}`, token);
    this.#files = pageFiles();
    this.#idleMs = idleMs;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Serves the page on a free port. Close it. */
  static async start(host: Host, options: ApprovalPageOptions = {}): Promise<ApprovalPage> {
    const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 5_000 });
    server.maxConnections = 32;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const page = new ApprovalPage(host, server, options);
    server.on("request", (request, response) => {
      page.#answer(request, response).catch(() => response.destroy());
    });
    page.#keepAwake();
    return page;
  }

  /** Ends the page. */
  async close(reason: "idle" | "closed" = "closed"): Promise<void> {
    clearTimeout(this.#idle);
    if (this.#server.listening) {
      const closed = once(this.#server, "close");
      this.#server.close();
      this.#server.closeAllConnections();
      await closed;
    }
    this.#end(reason);
  }

  /** A human did something. */
  #keepAwake(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close("idle"), this.#idleMs);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    if (!this.#guard.knowsHost(request)) return send(response, 403);
    if (method === "POST") return this.#call(request, response, url);
    const file = this.#files.get(url);
    if (!file) return send(response, 404);
    if (method !== "GET") return send(response, 405);
    return send(response, 200, file.bytes, file.type);
  }

  async #call(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    if (!this.#guard.admits(request)) return send(response, 403);
    if (!bringsJson(request)) return send(response, 415);
    const body = Number(request.headers["content-length"]) > BODY_LIMIT ? undefined : await bodyOf(request);
    if (body === undefined) return send(response, 413);
    try {
      const asked = parsed(body);
      if (url === "/waiting") return sendJson(response, 200, await this.#waiting(asked));
      if (url === "/decide") return sendJson(response, 200, await this.#decide(asked));
      return send(response, 404);
    } catch (error) {
      const { code, blame, message } = asAgentPairError(error);
      const status = code === "invalid_argument" ? 400 : blame === "bug" ? 500 : 409;
      return sendJson(response, status, { error: { code, message } });
    }
  }

  /** The page asks again and again: only where it says that its human did something does that count. */
  #waiting({ active }: Asked) {
    if (active === true) this.#keepAwake();
    return pageState(this.#host);
  }

  async #decide({ id, digest, decision, pin, reason }: Asked) {
    this.#keepAwake();
    const isWhole = typeof id === "string" && typeof digest === "string";
    if (!isWhole || (decision !== "approve" && decision !== "reject") || !isWord(pin) || !isWord(reason)) {
      throw malformed();
    }
    const shown = { id, digest };
    return { decision: await decideShown(this.#host, shown, { channel: "page", decision, pin, reason }) };
  }
}

/** What a call brings. Nothing of it is known yet. */
type Asked = { [name: string]: unknown };

function parsed(body: string): Asked {
  try {
    const found: unknown = JSON.parse(body);
    if (typeof found === "object" && found !== null) return found as Asked;
  } catch {}
  throw malformed();
}

function isWord(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function malformed(): AgentPairError {
  return new AgentPairError("invalid_argument", "caller", "the page sent something odd: load it again");
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, Buffer.from(JSON.stringify(value)), "application/json");
}

function send(response: ServerResponse, status: number, body: Uint8Array = new Uint8Array(), type?: string): void {
  // What was not read of the request is not waited for.
  const rest = response.req.complete ? {} : { connection: "close" };
  const what = type === undefined ? {} : { "content-type": type };
  response.writeHead(status, { ...HEADERS, ...rest, ...what, "content-length": body.length });
  response.end(body);
}
