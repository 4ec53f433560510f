// What the relay's tests share: agents with keys, envelopes, and requests that cannot hang.

import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, randomBytes, randomUUID, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { startRelay } from "../../scripts/local-relay.mjs";

/** No request takes longer; a long poll has ten seconds more than the relay may hold it. */
const REQUEST_MS = 10_000;
export const LONG_POLL_MS = 35_000;

export const nowSeconds = () => Math.floor(Date.now() / 1000);
export const base64url = (bytes) => Buffer.from(bytes).toString("base64url");
export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** A directory that is removed when the test file ends. */
export function scratch() {
  const directory = mkdtempSync(join(tmpdir(), "agentpair-relay-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A relay of this test file's own, stopped when the file ends. */
export async function relay(options = {}) {
  const started = await startRelay({ data: scratch(), ...options });
  after(() => started.stop());
  return started;
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

/** Requests to one relay. */
export class Client {
  constructor(url) {
    this.url = url;
  }

  /** The answer as `{status, headers, text, json}`. */
  async send(method, path, { body, headers = {}, timeout = REQUEST_MS } = {}) {
    const response = await fetch(this.url + path, {
      method,
      headers,
      body: body ?? null,
      duplex: "half",
      redirect: "manual",
      signal: AbortSignal.timeout(timeout),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
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
  assert.deepEqual({ status: answer.status, body: answer.json }, { status, body: { error } }, answer.text);
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
