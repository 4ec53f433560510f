// Owners of artifacts, and how they put them.

import { request } from "node:http";
import { request as requestTls } from "node:https";
import { connect } from "node:net";
import { Agent, sha256 } from "./kit.mjs";

/** An agent that may upload. */
export async function ownerOf(client) {
  const owner = new Agent();
  await client.allow(owner, []);
  return owner;
}

export const headersOf = (owner, hash) => ({ "x-agent-id": owner.id, "x-artifact-sig": owner.sign(hash) });

export const upload = (client, owner, bytes, hash = sha256(bytes)) =>
  client.put(`/artifact/${hash}`, bytes, { headers: headersOf(owner, hash) });

/**
 * As {@link upload}, on a connection of its own. After a large body the server may close a connection, and what is sent
 * on it at that moment has no answer: hosts ask again, a test cannot know.
 */
export async function uploadAlone(client, owner, bytes, hash = sha256(bytes)) {
  const headers = { ...headersOf(owner, hash), "content-length": bytes.length };
  const ask = client.url.startsWith("https:") ? requestTls : request;
  const outgoing = ask(`${client.url}/artifact/${hash}`, { method: "PUT", headers, agent: false });
  outgoing.end(bytes);
  const answer = await new Promise((resolve, reject) => outgoing.on("response", resolve).on("error", reject));
  const text = Buffer.concat(await answer.toArray()).toString();
  const type = new Headers({ "content-type": answer.headers["content-type"] ?? "" });
  return { status: answer.statusCode, headers: type, text, json: text && JSON.parse(text) };
}

/** Sends the head of an upload and a part of its body. Resolves with the connection, on which nothing more comes. */
export async function beginUpload(port, owner, bytes) {
  const hash = sha256(bytes);
  const head = Object.entries({ host: "localhost", ...headersOf(owner, hash), "content-length": bytes.length })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const socket = connect(port, "127.0.0.1");
  await new Promise((done) => socket.once("connect", done));
  socket.write(`PUT /artifact/${hash} HTTP/1.1\r\n${head}\r\n`);
  await new Promise((done) => socket.write(bytes.subarray(0, 10), done));
  return socket;
}

/** As {@link beginUpload}, and goes away. */
export async function breakOff(port, owner, bytes) {
  (await beginUpload(port, owner, bytes)).destroy();
}
