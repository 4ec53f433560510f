// Invites: published by their owner, handed out once.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { claim, claimId, freshName, Inviter } from "./invites.mjs";
import { Agent, base64url, inParallel, refused, useRelay } from "./kit.mjs";

describe("invites", () => {
  const relay = useRelay();

  it("are handed out once, and open their session with the first message", async () => {
    const { client } = relay;
    const host = await new Inviter().publish(client);
    refused(await client.get(host.session), 404, "pair_not_found");
    assert.deepEqual(await host.status(client), { state: "open", claims: 0, refused: 0 });

    const id = claimId();
    const first = await claim(client, host.path, id);
    assert.equal(first.status, 200);
    assert.deepEqual(first.json, JSON.parse(host.body()));
    assert.equal((await client.get(host.session)).text, host.members.pake);

    // The same claim: the same answer, and the session goes on where it is.
    await client.post(host.session, "an answer");
    const again = await claim(client, host.path, id);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal((await client.get(host.session)).text, "an answer");

    for (let i = 1; i <= 3; i += 1) {
      refused(await claim(client, host.path, claimId()), 410, "invite_claimed");
      assert.deepEqual(await host.status(client), { state: "claimed", claims: 1, refused: i });
    }
  });

  it("go to one of many who claim at once", async () => {
    const { client } = relay;
    const host = await new Inviter().publish(client);
    const answers = await inParallel(
      32,
      Array.from({ length: 32 }, () => () => claim(client, host.path, claimId())),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ json }) => json.error === "invite_claimed").length, 31);
    assert.deepEqual(await host.status(client), { state: "claimed", claims: 1, refused: 31 });
  });

  it("wake the owner who waits on the session", async () => {
    const { client } = relay;
    const host = await new Inviter().publish(client);
    const waiting = client.get(`${host.session}?wait=20`, { timeout: 35_000 });
    await claim(client, host.path, claimId());
    assert.equal((await waiting).text, host.members.pake);
  });

  it("keep their name: identical bytes are 201 again, others are refused", async () => {
    const { client } = relay;
    const host = await new Inviter().publish(client);
    await host.publish(client);
    const thief = new Inviter({ name: host.members.name });
    refused(await client.put(thief.path, thief.body()), 409, "invite_taken");
    refused(await client.put(host.path, host.body({ pake: "another" })), 409, "invite_taken");
    await claim(client, host.path, claimId());
    await host.publish(client);
    assert.equal((await host.status(client)).state, "claimed");
    refused(await client.put(thief.path, thief.body()), 409, "invite_taken");
  });

  it("are refused when they are not what they should be", async () => {
    const { client } = relay;
    const host = new Inviter();
    const forged = JSON.stringify({ ...JSON.parse(host.body()), sig: base64url(Buffer.alloc(64)) });
    const undomained = host.agent.signedBlob(JSON.stringify(host.members));
    // White space after JSON is legal, so any size can be met.
    const fat = (size) => host.body().padEnd(size, " ");
    for (const [body, status, error] of [
      ["{", 400, "invalid_json"],
      ["null", 400, "invalid_invite"],
      ["{}", 400, "invalid_invite"],
      [host.body({ v: 2 }), 400, "invalid_invite"],
      [host.body({ name: "other" }), 400, "invalid_invite"],
      [host.body({ agent_id: "ed25519:x" }), 400, "invalid_invite"],
      [host.body({ session_id: "a b" }), 400, "invalid_invite"],
      [host.body({ pake: undefined }), 400, "invalid_invite"],
      [host.body({ proposal: { ...host.members.proposal, initiatorAgentId: new Agent().id } }), 400, "invalid_invite"],
      [forged, 403, "invalid_signature"],
      [undomained, 403, "invalid_signature"],
      [host.body({ expires_at: Date.now() - 1 }), 410, "invite_expired"],
      [fat(8193), 413, "payload_too_large"],
    ]) {
      refused(await client.put(host.path, body), status, error);
    }
    refused(await claim(client, host.path, claimId()), 404, "invite_not_found");
    for (const size of [8191, 8192]) assert.equal((await client.put(host.path, fat(size))).status, 201);
  });

  it("want a claim id of 16 bytes", async () => {
    const { client } = relay;
    const host = await new Inviter().publish(client);
    for (const body of [
      "",
      "{",
      "[]",
      "{}",
      '{"claim_id":5}',
      '{"claim_id":""}',
      JSON.stringify({ claim_id: base64url(randomBytes(15)) }),
      JSON.stringify({ claim_id: base64url(randomBytes(17)) }),
      JSON.stringify({ claim_id: `${claimId()}==` }),
    ]) {
      refused(await client.post(`${host.path}/claim`, body), 400, "invalid_claim");
    }
    refused(await claim(client, `/invite/${"a".repeat(33)}`, claimId()), 404, "invite_not_found");
    refused(await claim(client, `/invite/${freshName()}`, claimId()), 404, "invite_not_found");
    assert.deepEqual(await host.status(client), { state: "open", claims: 0, refused: 0 });
  });

  it("tell a stranger nothing, and a reader changes nothing", async () => {
    const { client } = relay;
    const host = await new Inviter().publish(client);
    const stranger = new Agent();
    for (const path of [host.path, `/invite/${freshName()}`, `/invite/${"a".repeat(33)}`]) {
      for (let i = 0; i < 3; i += 1) {
        const asked = await client.get(path);
        assert.equal(asked.status, 401);
        assert.deepEqual(Object.keys(asked.json), ["challenge", "expires_at"]);
      }
      refused(await client.get(await client.signed(stranger, "GET", path)), 403, "challenge_invalid");
      const sig = stranger.sign("anything");
      refused(await client.delete(`${path}?sig=${sig}`), 403, "invalid_signature");
      refused(await client.delete(path), 403, "invalid_signature");
    }
    const signed = await client.signed(host.agent, "GET", host.path);
    assert.equal((await client.get(signed)).status, 200);
    refused(await client.get(signed), 403, "challenge_invalid");
    assert.deepEqual(await host.status(client), { state: "open", claims: 0, refused: 0 });
    assert.equal((await claim(client, host.path, claimId())).status, 200);
  });

  it("are withdrawn by their owner only, before or after a claim", async () => {
    const { client } = relay;
    for (const claimed of [false, true]) {
      const host = await new Inviter().publish(client);
      const id = claimId();
      if (claimed) await claim(client, host.path, id);
      refused(await client.delete(host.withdrawal(new Agent())), 403, "invalid_signature");
      assert.equal((await client.delete(host.withdrawal())).status, 204);
      assert.equal((await client.delete(host.withdrawal())).status, 204, "again");
      refused(await claim(client, host.path, id), 410, "invite_expired");
      refused(await client.put(host.path, host.body()), 409, "invite_taken");
      const status = { state: "withdrawn", claims: claimed ? 1 : 0, refused: 0 };
      assert.deepEqual(await host.status(client), status);
    }
  });
});

describe("invites over time", () => {
  const relay = useRelay({
    variables: { LIMIT_INVITE_MS: "4000", LIMIT_TOMBSTONE_MS: "3000", LIMIT_REFUSED_CLAIMS: "2" },
  });

  it("expire, are known for a while, and free their name", async () => {
    const { client } = relay;
    const host = await new Inviter().publish(client);
    const id = claimId();
    assert.equal((await claim(client, host.path, id)).status, 200);
    for (const counted of [1, 2, 2, 2]) {
      refused(await claim(client, host.path, claimId()), 410, "invite_claimed");
      assert.equal((await host.status(client)).refused, counted);
    }
    const seen = [];
    const deadline = Date.now() + 15_000;
    for (let last; last !== "invite_not_found" && Date.now() < deadline; ) {
      const { json } = await claim(client, host.path, id);
      const outcome = json.error ?? "handed out";
      if (outcome !== last) seen.push(outcome);
      last = outcome;
    }
    assert.deepEqual(seen, ["handed out", "invite_expired", "invite_not_found"]);
    refused(await client.get(await client.signed(host.agent, "GET", host.path)), 403, "challenge_invalid");
    const next = new Inviter({ name: host.members.name });
    assert.equal((await client.put(next.path, next.body())).status, 201);
  });
});
