import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Afterwards } from "../../support/scratch.ts";

/** Longer than anything here takes, in milliseconds. */
const LIMIT_MS = 60_000;

/** A request as it came. */
export interface Asked {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** An answer to a request. */
export interface Told {
  status: number;
  body?: string | Buffer;
  headers?: { [name: string]: string };
}

/** Keeps the connection and answers nothing, or sends a byte from time to time and never ends. */
export type Stalling = "silence" | "dripping";

/** An envelope that was posted. */
export interface Mail {
  /** The inbox. */
  to: string;
  /** The exact text. */
  wire: string;
}

/** The members of an envelope's body that tests look at. */
export interface Body {
  id: string;
  type: string;
  thread: string;
  seq: number;
  [name: string]: unknown;
}

/** The body of an envelope, which anybody can read who has the envelope. */
export function bodyOf(wire: string): Body {
  return JSON.parse(Buffer.from(JSON.parse(wire).blob, "base64url").toString());
}

/**
 * A relay that keeps mail and artifacts itself, and does with them what it likes. Everything else goes to the real relay behind
 * it. It is a relay of the draft's kind with live streams: its challenges are 32 random bytes.
 */
export class HostileRelay {
  readonly url: string;
  /** Answers a request in its own way; nothing, and the request goes on. */
  instead: ((asked: Asked) => Told | Stalling | undefined) | undefined;
  /** All envelopes that were posted, in order. */
  readonly mail: Mail[] = [];
  /** All requests, in order. */
  readonly asked: Asked[] = [];
  /** All streams that were opened, in order. */
  readonly opened: Asked[] = [];
  /** Artifacts by their names. */
  readonly artifacts = new Map<string, Buffer>();
  /** Keeps mail back from now on. */
  isHolding = false;
  readonly #server: Server;
  readonly #behind: string;
  /** Everything that was put into each inbox; whoever opens a stream gets all of it again. */
  readonly #rows = new Map<string, string[]>();
  readonly #streams = new Map<string, Set<Duplex>>();
  readonly #sockets = new Set<Duplex>();
  #wake: (() => void)[] = [];

  private constructor(server: Server, behind: string) {
    this.#server = server;
    this.#behind = behind;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Starts one in front of the relay at `behind`; it ends with the test, or the file. */
  static async start(t: Afterwards, behind: string): Promise<HostileRelay> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const relay = new HostileRelay(server, behind);
    relay.#serve();
    t.after(() => {
      relay.hangUp();
      server.close();
    });
    return relay;
  }

  /** Cuts all connections. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Cuts the streams, and nothing else. */
  endStreams(): void {
    for (const streams of this.#streams.values()) for (const stream of streams) stream.destroy();
  }

  /** Puts an envelope into an inbox: any text, for anybody, as often as it likes. `rowid` is any number. */
  deliver(to: string, wire: string, rowid?: number): void {
    const rows = this.#rows.get(to) ?? [];
    this.#rows.set(to, rows);
    const frame = `{"rowid":${rowid ?? rows.length + 1},"envelope":${wire}}`;
    rows.push(frame);
    for (const stream of this.#streams.get(to) ?? []) stream.write(textFrame(frame));
  }

  /** Waits until a request was made that is as wanted, from the first one on. */
  until(isWanted: (asked: Asked) => boolean, count = 1): Promise<Asked[]> {
    return this.#found(() => {
      const found = this.asked.filter(isWanted);
      return found.length >= count ? found : undefined;
    });
  }

  /** Waits until such an envelope was posted. */
  posted(isWanted: (body: Body) => boolean): Promise<Mail> {
    return this.#found(() => this.mail.find(({ wire }) => isWanted(bodyOf(wire))));
  }

  async #found<T>(look: () => T | undefined): Promise<T> {
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.#stir();
    }, LIMIT_MS);
    try {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        if (isLate) throw new Error("the relay waited in vain for a request");
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    } finally {
      clearTimeout(limit);
    }
  }

  #stir(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #serve(): void {
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk);
      } catch {
        return;
      }
      const { method = "GET", url: path = "/", headers } = request;
      const asked = { method, path, headers, body: Buffer.concat(chunks) };
      const told =
        this.instead?.(asked) ?? this.#mailbox(asked) ?? (await this.#forwarded(asked).catch(() => "silence"));
      this.asked.push(asked);
      this.#stir();
      if (told === "dripping") drip(response);
      if (typeof told === "string") return;
      const own = { "content-type": "application/json" };
      response.writeHead(told.status, { ...own, ...told.headers }).end(told.body);
    });
    this.#server.on("upgrade", (request, socket) => this.#stream(request, socket));
  }

  /** What it does itself. */
  #mailbox({ method, path, body }: Asked): Told | undefined {
    const [, route, id = ""] = /^\/(inbox|allowlist|artifact)\/([^/?]+)/.exec(decodeURIComponent(path)) ?? [];
    if (route === "allowlist") return { status: 204 };
    if (route === "artifact" && method === "PUT") {
      this.artifacts.set(id, body);
      return { status: 204 };
    }
    if (route === "artifact") {
      const sealed = this.artifacts.get(id);
      return sealed ? { status: 200, body: sealed } : { status: 404, body: '{"error":"artifact_not_found"}' };
    }
    if (route !== "inbox") return undefined;
    if (method !== "POST") return { status: 401, body: JSON.stringify({ challenge: challenge() }) };
    const wire = body.toString();
    this.mail.push({ to: id, wire });
    if (!this.isHolding) this.deliver(id, wire);
    return { status: 204 };
  }

  async #forwarded({ method, path, headers, body }: Asked): Promise<Told> {
    const { host: _, connection: __, "content-length": ___, "transfer-encoding": ____, ...rest } = headers;
    const answer = await fetch(this.#behind + path, {
      method,
      headers: rest as { [name: string]: string },
      body: method === "GET" ? null : (body as Buffer<ArrayBuffer>),
      redirect: "manual",
    });
    const kept = ["content-type", "etag", "retry-after", "date"].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    return { status: answer.status, headers: Object.fromEntries(kept), body: Buffer.from(await answer.arrayBuffer()) };
  }

  #stream({ url = "", headers }: IncomingMessage, socket: Duplex): void {
    const asked = { method: "GET", path: url, headers, body: Buffer.alloc(0) };
    this.opened.push(asked);
    if (typeof this.instead?.(asked) === "string") return;
    const [, id = ""] = /^\/inbox\/([^/?]+)\/live/.exec(decodeURIComponent(url)) ?? [];
    const accept = createHash("sha1")
      .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    socket.write([...lines, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
    const streams = this.#streams.get(id) ?? new Set();
    this.#streams.set(id, streams.add(socket));
    // Acknowledgements and the end are none of its concern.
    socket.resume();
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () => streams.delete(socket));
    for (const frame of [`{"epoch":"hostile"}`, ...(this.#rows.get(id) ?? [])]) socket.write(textFrame(frame));
  }
}

/** Begins an answer that has no end. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 100);
  response.on("close", () => clearInterval(timer));
}

/** A challenge of the draft: it says nothing. */
function challenge(): string {
  const bytes = randomBytes(32);
  bytes[0] = 0;
  return bytes.toString("base64url");
}

/** A text frame of a server. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(10);
  head[0] = 0x81;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
