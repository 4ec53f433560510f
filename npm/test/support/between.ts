import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";
import { within } from "./within.ts";

/** Answers a request instead of the relay. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Whether this is the request that is waited for: `PUT /invite/w42`, and its body. */
export type Match = (line: string, body: string) => boolean;

interface Trap {
  matches: Match;
  caught: () => void;
}

/** Stands between hosts and a relay: records what the hosts send, and can answer instead of the relay. */
export class Between {
  readonly url: string;
  /** Base URL of the relay behind it. */
  target = "";
  /** Set: answers instead of the relay, and no WebSocket opens. */
  answer: Answer | undefined;
  /** Set: changes the bodies of requests on their way to the relay. */
  alter: ((line: string, body: string) => string) | undefined;
  /** Set: no WebSocket opens. */
  isDeaf = false;
  /** Waits this long before each request is passed on, in milliseconds. */
  delay = 0;
  /** Requests seen so far. */
  requests = 0;
  /** All bytes that hosts have sent, connection by connection; the frames of WebSockets are masked in them. */
  readonly sent: Buffer[][] = [];
  readonly #server: Server;
  #trap: Trap | undefined;
  readonly #sockets = new Set<Duplex>();

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(t: TestContext): Promise<Between> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new Between(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    proxy.#serve();
    t.after(() => {
      proxy.hangUp();
      server.close();
    });
    return proxy;
  }

  /** Cuts all connections. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /**
   * Lets the next request that matches through to the relay, and loses the answer: whoever asked hears nothing until
   * its connection is cut. Resolves when the relay has answered; a request that was given up before that does not count.
   */
  lose(matches: Match): Promise<void> {
    const answered = new Promise<void>((caught) => {
      this.#trap = { matches, caught };
    });
    return within(answered, "a request whose answer is to be lost");
  }

  #serve(): void {
    this.#server.on("connection", (socket) => {
      const chunks: Buffer[] = [];
      this.sent.push(chunks);
      socket.on("data", (chunk) => chunks.push(chunk));
      this.#keep(socket);
    });
    this.#server.on("request", async (incoming, response) => {
      this.requests += 1;
      if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay));
      if (this.answer) this.answer(incoming, response);
      else if (this.#trap || this.alter) await this.#read(incoming, response);
      else this.#pass(incoming, response);
    });
    this.#server.on("upgrade", (incoming, socket, head) => {
      if (this.answer || this.isDeaf) socket.destroy();
      else this.#join(incoming, socket, head);
    });
  }

  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url } = incoming;
    const outgoing = request(this.target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  /** Passes a request on whose body has been looked at. */
  async #read(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url } = incoming;
    const line = `${method} ${url}`;
    const text = Buffer.concat(await incoming.toArray()).toString();
    const trap = this.#trap?.matches(line, text) ? this.#trap : undefined;
    const body = Buffer.from(this.alter?.(line, text) ?? text);
    const headers = { ...incoming.headers, ...(body.length > 0 && { "content-length": `${body.length}` }) };
    const outgoing = request(this.target + url, { method, headers }, (answer) => {
      if (trap && trap === this.#trap) {
        this.#trap = undefined;
        answer.resume().on("end", trap.caught);
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    outgoing.end(body);
  }

  #join({ method, url, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { hostname, port } = new URL(this.target);
    const relay = connect(Number(port), hostname);
    this.#keep(relay);
    const lines = [`${method} ${url} HTTP/1.1`];
    for (let n = 0; n < rawHeaders.length; n += 2) lines.push(`${rawHeaders[n]}: ${rawHeaders[n + 1]}`);
    relay.write(`${lines.join("\r\n")}\r\n\r\n`);
    relay.write(head);
    socket.pipe(relay).pipe(socket);
    for (const [one, other] of [
      [socket, relay],
      [relay, socket],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
