import type { Effect, Input } from "../wasm/agentpair.js";

type OpenEffect = Extract<Effect, { effect: "open_stream" }>;
type Report = (input: Extract<Input, { input: "stream_opened" | "stream_frame" | "stream_closed" }>) => void;

/** Time for a connection to open, in milliseconds. */
const OPEN_MS = 15_000;
/** A silent connection is asked for a sign of life this often: networks drop idle ones without a word. */
const PING_MS = 30_000;
/** A connection that stays silent for longer is given up. */
const SILENCE_MS = 75_000;
/** The largest frame that is handed on, in UTF-16 units. */
const FRAME_UNITS = 8 * 1024 * 1024;

/** Holds the engine's WebSockets. `stream_closed` is reported once for each, unless it was closed on request. */
export class Streams {
  #report: Report;
  #open = new Map<string, Stream>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** Opens a WebSocket. */
  open({ stream, relay, path }: OpenEffect): void {
    const ended = () => {
      if (this.#open.delete(stream)) this.#report({ input: "stream_closed", stream });
    };
    try {
      // `http` becomes `ws`, and `https` becomes `wss`.
      const socket = new WebSocket(relay.replace(/^http/, "ws") + path);
      const opened = () => this.#report({ input: "stream_opened", stream });
      const frame = (text: string) => this.#report({ input: "stream_frame", stream, text });
      this.#open.set(stream, new Stream(socket, { opened, frame, ended }));
    } catch {
      queueMicrotask(() => this.#report({ input: "stream_closed", stream }));
    }
  }

  /** Sends a text frame; nothing happens if the stream is gone. */
  send(stream: string, text: string): void {
    this.#open.get(stream)?.send(text);
  }

  /** Closes a stream without a report. */
  close(stream: string): void {
    const found = this.#open.get(stream);
    this.#open.delete(stream);
    found?.close();
  }

  /** Closes all streams without reports. */
  drop(): void {
    for (const stream of [...this.#open.keys()]) this.close(stream);
  }
}

interface Listener {
  opened(): void;
  frame(text: string): void;
  ended(): void;
}

class Stream {
  #socket: WebSocket;
  #listener: Listener | undefined;
  #timer: ReturnType<typeof setTimeout>;
  #heardAt = 0;
  #isClosed = false;

  constructor(socket: WebSocket, listener: Listener) {
    this.#socket = socket;
    this.#listener = listener;
    this.#timer = setTimeout(() => this.#end(), OPEN_MS);
    socket.addEventListener("open", () => {
      if (this.#isClosed) return;
      this.#heardAt = Date.now();
      clearTimeout(this.#timer);
      this.#timer = setInterval(() => this.#tend(), PING_MS);
      this.#listener?.opened();
    });
    socket.addEventListener("message", ({ data }) => {
      this.#heardAt = Date.now();
      if (data === "pong") return;
      // The relay sends short text frames and nothing else.
      if (typeof data !== "string" || data.length > FRAME_UNITS) this.#end();
      else this.#listener?.frame(data);
    });
    socket.addEventListener("close", () => this.#end());
    // `close` follows an error only where a connection had been made.
    socket.addEventListener("error", () => this.#end());
  }

  send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
  }

  close(): void {
    if (this.#isClosed) return;
    // First, since a socket that is not open yet tells of its end while it is being closed.
    this.#isClosed = true;
    this.#listener = undefined;
    clearInterval(this.#timer);
    this.#socket.close();
  }

  #tend(): void {
    if (Date.now() - this.#heardAt > SILENCE_MS) this.#end();
    else this.send("ping");
  }

  #end(): void {
    const listener = this.#listener;
    this.close();
    listener?.ended();
  }
}
