// The probes that any relay of the draft must pass, written from its description. They use only what the
// draft has, so they run against any base URL: AGENTPAIR_CONFORMANCE_URL=https://…; without it, against a relay of their
// own. The one that waits five minutes is in conformance.slow.mjs.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import { Agent, Client, nowSeconds, refused, sha256, useRelay } from "./kit.mjs";

const elsewhere = process.env.AGENTPAIR_CONFORMANCE_URL;

describe("conformance with the draft", () => {
  const relay = elsewhere === undefined ? useRelay() : { client: new Client(elsewhere.replace(/\/$/, "")) };
  let client;
  before(() => {
    client = relay.client;
  });

  const json = { headers: { "content-type": "application/json" } };
  const put = async (agent, allowed) => {
    const answer = await client.put(`/allowlist/${agent.id}`, agent.allowlist(allowed), json);
    assert.equal(answer.status, 204);
  };
  const deliver = async (wire, to) => (await client.post(`/inbox/${to.id}`, wire, json)).status;

  it("health names the draft and the conformance", async () => {
    const { status, json: body } = await client.get("/health");
    assert.equal(status, 200);
    assert.equal(body.status, "ok");
    assert.equal(body.spec_version, "1.0-draft");
    assert.equal(body.relay_conformance, "agentpair-relay/1");
  });

  it("default-deny: an unregistered recipient takes nothing", async () => {
    const [sender, recipient] = [new Agent(), new Agent()];
    const answer = await client.post(`/inbox/${recipient.id}`, sender.envelope(recipient), json);
    refused(answer, 403, "recipient_not_allowed");
  });

  it("challenge-roundtrip: two complete pulls, one after the other", async () => {
    const [sender, recipient] = [new Agent(), new Agent()];
    await put(recipient, [sender]);
    for (let round = 0; round < 2; round += 1) {
      const asked = await client.get(`/inbox/${recipient.id}?since=0`);
      assert.equal(asked.status, 401);
      assert.equal(typeof asked.json.challenge, "string");
      assert.ok(asked.json.challenge.length >= 10);
      assert.ok(asked.json.expires_at > Date.now());
      const { challenge } = asked.json;
      const query = `since=0&challenge=${challenge}&sig=${recipient.sign(challenge)}`;
      const pulled = await client.get(`/inbox/${recipient.id}?${query}`);
      assert.equal(pulled.status, 200);
      assert.ok(Array.isArray(pulled.json.envelopes));
      assert.equal(typeof pulled.json.cursor, "number");
    }
  });

  it("allowlist-blob: a signed allowlist is taken", async () => {
    await put(new Agent(), [new Agent()]);
  });

  it("inbox-idempotency: the same bytes twice are one success", async () => {
    const [sender, recipient] = [new Agent(), new Agent()];
    await put(recipient, [sender]);
    const wire = sender.envelope(recipient);
    assert.equal(await deliver(wire, recipient), 204);
    assert.equal(await deliver(wire, recipient), 204);
  });

  it("hash-verify: an artifact under another hash is refused as such", async () => {
    const owner = new Agent();
    await put(owner, []);
    const zeros = "0".repeat(64);
    const headers = { "x-agent-id": owner.id, "x-artifact-sig": owner.sign(zeros) };
    const answer = await client.put(`/artifact/${zeros}`, randomBytes(64), { headers });
    refused(answer, 400, "hash_mismatch");
  });

  it("purge-dyad: what one peer left is deleted", async () => {
    const [alice, bob] = [new Agent(), new Agent()];
    await put(alice, [bob]);
    await put(bob, [alice]);
    assert.equal(await deliver(alice.envelope(bob, { seq: 11 }), bob), 204);
    assert.equal(await deliver(bob.envelope(alice, { body: { thread: "purge-thread" } }), alice), 204);
    const path = `/inbox/${bob.id}/purge?sender=${encodeURIComponent(alice.id)}`;
    const asked = await client.delete(path);
    assert.equal(asked.status, 401);
    const { challenge } = asked.json;
    const purged = await client.delete(`${path}&challenge=${challenge}&sig=${bob.sign(challenge)}`);
    assert.equal(purged.status, 200);
    assert.ok(purged.json.deleted >= 1);
  });

  it("inbox-pull-shape: envelopes, rowids, cursor", async () => {
    const [sender, recipient] = [new Agent(), new Agent()];
    await put(recipient, [sender]);
    const wire = sender.envelope(recipient);
    assert.equal(await deliver(wire, recipient), 204);
    const pulled = await client.pull(recipient);
    assert.deepEqual(pulled.envelopes, [JSON.parse(wire)]);
    assert.equal(pulled.rowids.length, 1);
    assert.equal(pulled.cursor, pulled.rowids[0]);
  });

  it("a host's preflight: a key that was never registered can pull, and finds nothing", async () => {
    const stranger = new Agent();
    const pulled = await client.pull(stranger);
    assert.deepEqual(pulled.envelopes, []);
    // The reference's preflight writes its ttl in milliseconds.
    const wire = new Agent().envelope(stranger, { body: { ttl: nowSeconds() * 1000 } });
    refused(await client.deliver(stranger, wire), 403, "recipient_not_allowed");
  });

  it("artifact-10mb: the largest artifact of the draft", async () => {
    const owner = new Agent();
    await put(owner, []);
    const bytes = Buffer.alloc(10_485_760, 0xab);
    const hash = sha256(bytes);
    const headers = { "x-agent-id": owner.id, "x-artifact-sig": owner.sign(hash) };
    const answer = await client.put(`/artifact/${hash}`, bytes, { headers });
    assert.equal(answer.status, 204, answer.text);
  });
});
