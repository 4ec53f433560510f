// What the relay's tests share: agents with keys, envelopes, and requests that cannot hang.

import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, randomBytes, randomUUID, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { startRelay } from "../../scripts/local-relay.mjs";

/** No request takes longer; a long poll has ten seconds more than the relay may hold it. */
const REQUEST_MS = 10_000;
export const LONG_POLL_MS = 35_000;

export const nowSeconds = () => Math.floor(Date.now() / 1000);
export const base64url = (bytes) => Buffer.from(bytes).toString("base64url");
export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/**
 * A relay of the surrounding suite's own. Call it in the suite's body; it runs while the suite's tests do.
 * `options` are those of `startRelay`.
 */
export function useRelay(options = {}) {
  const handle = { data: mkdtempSync(join(tmpdir(), "agentpair-relay-")), log: [] };
  handle.start = async () => {
    const log = (line) => handle.log.push(line);
    Object.assign(handle, await startRelay({ data: handle.data, port: handle.port, log, ...options }));
    handle.client = new Client(handle.url);
  };
  before(handle.start);
  after(async () => {
    await handle.stop?.();
    rmSync(handle.data, { recursive: true, force: true });
  });
  return handle;
}

/** The DER prefix of an Ed25519 private key (RFC 8410) before its 32 bytes. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** One agent: a fresh key, its id, and what it can sign. */
export class Agent {
  #key;

  constructor(seed = randomBytes(32)) {
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
    this.publicKey = Buffer.from(createPublicKey(this.#key).export({ format: "jwk" }).x, "base64url");
    this.id = `ed25519:${base64url(this.publicKey)}`;
  }

  sign(message) {
    return base64url(sign(null, Buffer.from(message), this.#key));
  }

  /** `{"blob", "sig"}` around a JSON text, in the given domain if any. */
  signedBlob(text, domain) {
    const prefix = domain === undefined ? "" : `${domain}\0`;
    return JSON.stringify({ blob: base64url(text), sig: this.sign(prefix + text) });
  }

  /** The body of `PUT /allowlist/{id}`. */
  allowlist(allowed, extra = {}) {
    const ids = allowed.map((entry) => entry.id ?? entry);
    return this.signedBlob(JSON.stringify({ agent_id: this.id, allowed: ids, ...extra }));
  }

  /** An envelope's text. `body` and `outer` replace members; `pad` makes it exactly that many bytes. */
  envelope(to, { seq = 1, body = {}, outer = {}, pad } = {}) {
    const recipient = to.id ?? to;
    const inner = {
      v: 1,
      id: randomUUID(),
      from: this.id,
      to: recipient,
      type: "core.msg",
      thread: "550e8400-e29b-41d4-a716-446655440000",
      seq,
      ttl: nowSeconds() + 3600,
      payload: base64url(randomBytes(64)),
      ...body,
    };
    const text = JSON.stringify(inner);
    const wire = JSON.stringify({
      v: 1,
      from: this.id,
      to: recipient,
      blob: base64url(text),
      sig: this.sign(text),
      ...outer,
    });
    return pad === undefined ? wire : padded(wire, pad);
  }
}

/** The envelope with an extra outer member that makes it exactly `size` bytes: unknown members are legal. */
function padded(wire, size) {
  const room = size - Buffer.byteLength(wire) - ',"x":""'.length;
  assert.ok(room >= 0, `an envelope cannot be as small as ${size} bytes`);
  return `${wire.slice(0, -1)},"x":"${"-".repeat(room)}"}`;
}

/** What a relay answered. */
class Answer {
  constructor(status, headers, text) {
    Object.assign(this, { status, headers, text });
  }

  get json() {
    return JSON.parse(this.text);
  }
}

/** Requests to one relay. */
export class Client {
  constructor(url) {
    this.url = url;
  }

  /** One request. `timeout` is in milliseconds. */
  async send(method, path, { body, headers = {}, timeout = REQUEST_MS } = {}) {
    const response = await fetch(this.url + path, {
      method,
      headers,
      body: body ?? null,
      duplex: "half",
      redirect: "manual",
      signal: AbortSignal.timeout(timeout),
    });
    return new Answer(response.status, response.headers, await response.text());
  }

  get = (path, options) => this.send("GET", path, options);
  put = (path, body, options) => this.send("PUT", path, { body, ...options });
  post = (path, body, options) => this.send("POST", path, { body, ...options });
  delete = (path, options) => this.send("DELETE", path, options);

  /** Asks for the challenge of a path, signs it, and returns the path with both. */
  async signed(agent, method, path, challengePath = path) {
    const asked = await this.send(method, challengePath);
    assert.equal(asked.status, 401, asked.text);
    const { challenge } = asked.json;
    const separator = path.includes("?") ? "&" : "?";
    return `${path}${separator}challenge=${challenge}&sig=${agent.sign(challenge)}`;
  }

  async allow(agent, allowed, extra) {
    const answer = await this.put(`/allowlist/${agent.id}`, agent.allowlist(allowed, extra));
    assert.equal(answer.status, 204, answer.text);
  }

  deliver = (to, wire) => this.post(`/inbox/${to.id}`, wire);

  async pull(agent, query = "since=0") {
    const answer = await this.get(await this.signed(agent, "GET", `/inbox/${agent.id}?${query}`));
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  async trim(agent, through) {
    return this.delete(await this.signed(agent, "DELETE", `/inbox/${agent.id}?through=${through}`));
  }

  async purge(agent, sender) {
    const path = `/inbox/${agent.id}/purge?sender=${encodeURIComponent(sender.id ?? sender)}`;
    return this.delete(await this.signed(agent, "DELETE", path));
  }
}

/** Expects a refusal: its status and its code, and nothing else in the body. */
export function refused(answer, status, error) {
  assert.deepEqual([answer.status, answer.text], [status, JSON.stringify({ error })]);
  assert.equal(answer.headers.get("content-type"), "application/json");
}

/** A recipient that allows one sender. */
export async function pairOf(client) {
  const [sender, recipient] = [new Agent(), new Agent()];
  await client.allow(recipient, [sender]);
  return { sender, recipient };
}

/** Runs tasks at once, at most `width` at a time. */
export async function inParallel(width, tasks) {
  const results = [];
  const queue = tasks.map((task, index) => [task, index]);
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results[next[1]] = await next[0]();
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

/** A live stream: its frames in order, and its end. */
export class Live {
  #socket;
  #frames = [];
  #wanted = [];

  /** Opens the stream of an inbox with a signed challenge. */
  static async open(client, agent, since = 0) {
    const path = await client.signed(agent, "GET", `/inbox/${agent.id}/live?since=${since}`, `/inbox/${agent.id}/live`);
    return new Live(client.url.replace("http", "ws") + path).opened;
  }

  constructor(url) {
    this.#socket = new WebSocket(url);
    this.closed = new Promise((resolve) => this.#socket.addEventListener("close", resolve));
    this.opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", () => resolve(this));
      this.#socket.addEventListener("error", () => reject(new Error("the stream did not open")));
    });
    this.#socket.addEventListener("message", ({ data }) => {
      const wanted = this.#wanted.shift();
      if (wanted === undefined) this.#frames.push(data);
      else wanted(data);
    });
  }

  /** The next frame's text. */
  nextText() {
    if (this.#frames.length > 0) return Promise.resolve(this.#frames.shift());
    return within(new Promise((resolve) => this.#wanted.push(resolve)), "no frame");
  }

  async next() {
    return JSON.parse(await this.nextText());
  }

  /** The next `count` row ids. */
  async rows(count) {
    const ids = [];
    while (ids.length < count) ids.push((await this.next()).rowid);
    return ids;
  }

  /** Nothing more has come: the relay answers in order, and has answered this after all that it sent. */
  async isSilent() {
    this.#socket.send("ping");
    const text = await this.nextText();
    assert.equal(text, "pong");
  }

  send(frame) {
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  ack = (rowid) => this.send({ ack: rowid });

  /** The relay said that it ends; the connection may linger until the relay drops it. */
  get isEnding() {
    return this.#socket.readyState >= WebSocket.CLOSING;
  }

  /** How the relay ended it. */
  async end() {
    const { code, reason } = await within(this.closed, "the stream does not end");
    return [code, reason];
  }

  close() {
    this.#socket.close();
    return within(this.closed, "the stream does not close");
  }
}

/** The promise, or a failure after ten seconds. */
export async function within(promise, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), REQUEST_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks again and again, until the answer is true; fails after ten seconds, or that many milliseconds. */
export async function until(condition, message, timeout = REQUEST_MS) {
  const deadline = Date.now() + timeout;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, message);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
