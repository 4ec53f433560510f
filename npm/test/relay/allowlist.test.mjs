// PUT /allowlist/{id}: the draft's refusals, versions, and what a new list does to the queue.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Agent, base64url, pairOf, refused, useRelay } from "./kit.mjs";

describe("allowlists", () => {
  const relay = useRelay();

  it("are refused in the draft's order", async () => {
    const { client } = relay;
    const [owner, other] = [new Agent(), new Agent()];
    const path = `/allowlist/${owner.id}`;
    const text = (value) => owner.signedBlob(JSON.stringify({ agent_id: owner.id, ...value }));
    const many = (count) => Array.from({ length: count }, () => new Agent().id);
    const cases = [
      [path, "{", 400, "invalid_json"],
      [path, "", 400, "invalid_json"],
      [path, "null", 400, "invalid_allowlist"],
      [path, "[]", 400, "invalid_allowlist"],
      [path, "5", 400, "invalid_allowlist"],
      [path, JSON.stringify({ agent_id: owner.id, allowed: [] }), 400, "invalid_allowlist"],
      [path, JSON.stringify({ ...JSON.parse(owner.allowlist([])), allowed: [] }), 400, "invalid_allowlist"],
      [path, JSON.stringify({ blob: 1, sig: "e30" }), 400, "invalid_allowlist"],
      ["/allowlist/alice", owner.allowlist([]), 400, "invalid_allowlist"],
      [`${path}==`, owner.allowlist([]), 400, "invalid_allowlist"],
      [path, JSON.stringify({ blob: "e30=", sig: "e30" }), 403, "invalid_signature"],
      [path, other.allowlist([]), 403, "invalid_signature"],
      [path, owner.signedBlob("nonsense"), 400, "invalid_allowlist"],
      [path, owner.signedBlob(JSON.stringify({ agent_id: other.id, allowed: 5 })), 400, "agent_id_mismatch"],
      [path, text({ allowed: "all" }), 400, "invalid_allowlist"],
      [path, text({ allowed: ["alice"] }), 400, "invalid_allowlist"],
      [path, text({ allowed: [other.id, other.id] }), 400, "invalid_allowlist"],
      [path, text({ allowed: many(1025) }), 400, "invalid_allowlist"],
      [path, "x".repeat(131_073), 413, "payload_too_large"],
    ];
    for (const [where, body, status, error] of cases) {
      refused(await client.put(where, body), status, error);
    }
    // None of that made an inbox.
    assert.equal((await client.pull(owner)).epoch, undefined);
    for (const count of [1023, 1024]) await client.allow(owner, many(count));
  });

  it("are taken in any order of entries, under a raw or an encoded id", async () => {
    const { client } = relay;
    const [owner, a, b] = [new Agent(), new Agent(), new Agent()];
    for (const id of [owner.id, encodeURIComponent(owner.id)]) {
      for (const list of [
        [a, b],
        [b, a],
      ]) {
        assert.equal((await client.put(`/allowlist/${id}`, owner.allowlist(list))).status, 204);
      }
    }
  });

  it("delete what a sender left who is no longer named, and only that", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const other = new Agent();
    await client.allow(recipient, [sender, other]);
    for (const from of [sender, other]) {
      assert.equal((await client.deliver(recipient, from.envelope(recipient))).status, 204);
    }
    await client.allow(recipient, [other]);
    const page = await client.pull(recipient);
    assert.deepEqual(page.rowids, [2]);
    refused(await client.deliver(recipient, sender.envelope(recipient)), 403, "recipient_not_allowed");
    assert.equal((await client.deliver(recipient, other.envelope(recipient))).status, 204);
  });

  it("W08_a_version_cannot_be_rolled_back: with a version cannot be rolled back", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const push = (allowed, extra) => client.put(`/allowlist/${recipient.id}`, recipient.allowlist(allowed, extra));
    assert.equal((await push([sender], { version: 7 })).status, 204);
    assert.equal((await push([sender], { version: 7 })).status, 204, "the identical list again");
    refused(await push([], { version: 7 }), 409, "allowlist_stale");
    refused(await push([], { version: 6 }), 409, "allowlist_stale");
    refused(await push([]), 409, "allowlist_stale");
    assert.equal((await push([], { version: 8 })).status, 204);
    refused(await push([sender], { version: 7 }), 409, "allowlist_stale");
    refused(await client.deliver(recipient, sender.envelope(recipient)), 403, "recipient_not_allowed");
    for (const version of [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]) {
      assert.equal((await push([sender], { version })).status, 204);
    }
  });
});

describe("a closed relay", () => {
  const relay = useRelay({ variables: { RELAY_REGISTRATION: "let me in, please" } });
  const put = (agent, allowed, token) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return relay.client.put(`/allowlist/${agent.id}`, agent.allowlist(allowed), { headers });
  };

  it("registers who has the token, and serves who is registered", async () => {
    const [owner, sender] = [new Agent(), new Agent()];
    for (const token of [undefined, "", "let me in", "let me in, please!"]) {
      refused(await put(owner, [], token), 403, "registration_closed");
    }
    assert.equal((await relay.client.pull(owner)).epoch, undefined);
    assert.equal((await put(owner, [], "let me in, please")).status, 204);
    assert.equal((await put(owner, [sender])).status, 204);
    assert.equal((await relay.client.deliver(owner, sender.envelope(owner))).status, 204);
  });

  it("still tells a wrong signature first", async () => {
    const owner = new Agent();
    const forged = JSON.stringify({
      ...JSON.parse(owner.allowlist([])),
      sig: base64url(Buffer.alloc(64)),
    });
    refused(await relay.client.put(`/allowlist/${owner.id}`, forged), 403, "invalid_signature");
  });
});
