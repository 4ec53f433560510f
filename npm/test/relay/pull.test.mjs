// Reading, trimming and purging an inbox.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Agent, base64url, pairOf, refused, sha256, useRelay } from "./kit.mjs";

/** Delivers envelopes one after another; their texts. */
async function fill(client, sender, recipient, count, options = {}) {
  const wires = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const wire = sender.envelope(recipient, { seq, ...options });
    assert.equal((await client.deliver(recipient, wire)).status, 204);
    wires.push(wire);
  }
  return wires;
}

describe("reading an inbox", () => {
  const relay = useRelay({ variables: { LIMIT_PULL_ROWS: "4", LIMIT_PULL_BYTES: "8192" } });

  it("gives the stored text byte for byte", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    // Spaces, an escape and an unknown member: legal, and lost by whoever parses and writes again.
    const wire = sender.envelope(recipient).replace('{"v":1,', '{ "v": 1, "note": "\\u00e9\\/é", ');
    assert.equal((await client.deliver(recipient, wire)).status, 204);
    const path = await client.signed(recipient, "GET", `/inbox/${recipient.id}`);
    const { text } = await client.get(path);
    assert.ok(text.startsWith(`{"envelopes":[${wire}],"rowids":[1],"cursor":1,"filtered_count":0,"more":false,`));
  });

  it("pages by rows: the cap, and one more", async () => {
    const { client } = relay;
    for (const [count, pages] of [
      [3, [3]],
      [4, [4]],
      [5, [4, 1]],
      [9, [4, 4, 1]],
    ]) {
      const { sender, recipient } = await pairOf(client);
      const wires = await fill(client, sender, recipient, count);
      const seen = [];
      let since = 0;
      for (const [index, size] of pages.entries()) {
        const page = await client.pull(recipient, `since=${since}`);
        assert.equal(page.envelopes.length, size);
        assert.equal(page.more, index < pages.length - 1);
        assert.equal(page.cursor, page.rowids.at(-1));
        assert.equal(page.gaps, undefined);
        seen.push(...page.envelopes);
        since = page.cursor;
      }
      assert.deepEqual(
        seen,
        wires.map((wire) => JSON.parse(wire)),
      );
      const end = await client.pull(recipient, `since=${since}`);
      assert.deepEqual([end.envelopes, end.rowids, end.cursor, end.more], [[], [], since, false]);
    }
  });

  it("pages by bytes, and never stops at a large envelope", async () => {
    const { client } = relay;
    for (const [pad, first] of [
      [4095, 2],
      [4096, 2],
      [4097, 1],
      [65_536, 1],
    ]) {
      const { sender, recipient } = await pairOf(client);
      await fill(client, sender, recipient, 2, { pad });
      const page = await client.pull(recipient);
      assert.deepEqual([page.envelopes.length, page.more], [first, first < 2], `${pad} bytes each`);
    }
  });

  it("understands `since` as the draft does", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    await fill(client, sender, recipient, 2);
    for (const [query, rowids] of [
      ["", [1, 2]],
      ["since=1", [2]],
      ["since=x", [1, 2]],
      ["since=-1", [1, 2]],
      ["since=1000000000001", [1, 2]],
      ["since=1000000000000", []],
    ]) {
      const page = await client.pull(recipient, query);
      assert.deepEqual(page.rowids, rowids, query);
    }
    assert.equal((await client.pull(recipient, "since=1000000000000")).cursor, 1_000_000_000_000);
  });

  it("filters by sender without losing the others", async () => {
    const { client } = relay;
    const [alice, carol, recipient] = [new Agent(), new Agent(), new Agent()];
    await client.allow(recipient, [alice, carol]);
    await fill(client, alice, recipient, 1);
    await fill(client, carol, recipient, 2);
    await fill(client, alice, recipient, 1);
    const query = (ids) => `bonded_only=1&senders=${encodeURIComponent(ids.join(" , "))}`;
    const of = await client.pull(recipient, query([alice.id]));
    assert.deepEqual([of.rowids, of.cursor, of.filtered_count], [[1, 4], 4, 2]);
    const both = await client.pull(recipient, query([alice.id, carol.id, "nonsense"]));
    assert.deepEqual([both.rowids, both.filtered_count], [[1, 2, 3, 4], 0]);
    // The cursor is that of the last row returned: nothing that was left out is skipped by an empty page.
    const none = await client.pull(recipient, query([new Agent().id]));
    assert.deepEqual([none.rowids, none.cursor, none.filtered_count], [[], 0, 4]);
  });

  it("names its data by an epoch that stays", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const { epoch } = await client.pull(recipient);
    assert.match(epoch, /^[0-9a-f]{16}$/);
    await fill(client, sender, recipient, 1);
    await client.allow(recipient, []);
    assert.equal((await client.pull(recipient)).epoch, epoch);
    assert.equal((await client.pull(new Agent())).epoch, undefined);
  });
});

describe("trimming an inbox", () => {
  const relay = useRelay();

  it("deletes through a row; a late identical retry is 204 and stores nothing", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const body = { id: "late" };
    const late = sender.envelope(recipient, { body });
    assert.equal((await client.deliver(recipient, late)).status, 204);
    const rest = await fill(client, sender, recipient, 3);
    const trimmed = await client.trim(recipient, 2);
    assert.deepEqual([trimmed.status, trimmed.json], [200, { trimmed: 2 }]);
    assert.deepEqual((await client.trim(recipient, 2)).json, { trimmed: 0 });
    assert.equal((await client.deliver(recipient, late)).status, 204);
    const other = sender.envelope(recipient, { body, seq: 9 });
    refused(await client.deliver(recipient, other), 409, "envelope_id_collision");
    const page = await client.pull(recipient);
    assert.deepEqual(page.rowids, [3, 4]);
    assert.deepEqual(
      page.envelopes,
      rest.slice(1).map((wire) => JSON.parse(wire)),
    );
  });

  it("W27_a_row_number_is_never_given_twice: never gives a row id twice", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    await fill(client, sender, recipient, 3);
    assert.equal((await client.trim(recipient, 3)).json.trimmed, 3);
    await fill(client, sender, recipient, 1);
    assert.deepEqual((await client.pull(recipient)).rowids, [4]);
    assert.equal((await client.purge(recipient, sender)).json.deleted, 1);
    await fill(client, sender, recipient, 1);
    assert.deepEqual((await client.pull(recipient)).rowids, [5]);
  });

  it("wants a whole number, before it wants a challenge", async () => {
    const { client } = relay;
    const agent = new Agent();
    for (const query of ["", "?through=", "?through=x", "?through=-1", "?through=1.5"]) {
      refused(await client.delete(`/inbox/${agent.id}${query}`), 400, "invalid_through");
    }
    assert.equal((await client.delete(`/inbox/${agent.id}?through=1`)).status, 401);
    assert.deepEqual((await client.trim(agent, 5)).json, { trimmed: 0 });
  });
});

describe("purging an inbox", () => {
  const relay = useRelay();

  it("deletes what one sender left here, and nothing elsewhere", async () => {
    const { client } = relay;
    const [alice, bob, carol] = [new Agent(), new Agent(), new Agent()];
    await client.allow(bob, [alice, carol]);
    await client.allow(alice, [bob]);
    await fill(client, alice, bob, 2);
    await fill(client, carol, bob, 1);
    await fill(client, bob, alice, 1);
    const purged = await client.purge(bob, alice);
    assert.deepEqual([purged.status, purged.json], [200, { deleted: 2, peer_purged: false }]);
    assert.deepEqual((await client.pull(bob)).rowids, [3]);
    assert.equal((await client.pull(alice)).envelopes.length, 1);
  });

  it("wants a sender, then an agent id, then a challenge", async () => {
    const { client } = relay;
    const path = `/inbox/${new Agent().id}/purge`;
    refused(await client.delete(path), 400, "sender_required");
    refused(await client.delete(`${path}?sender=`), 400, "sender_required");
    refused(await client.delete(`${path}?sender=alice`), 400, "invalid_sender");
    assert.equal((await client.delete(`${path}?sender=ed25519:x`)).status, 401);
  });
});

describe("challenges", () => {
  const relay = useRelay();

  const ask = async (path, method = "GET") => {
    const answer = await relay.client.send(method, path);
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get("x-agentpair-challenge"), answer.json.challenge);
    return answer.json.challenge;
  };

  it("have the documented layout, and name this relay by the host that was asked", async () => {
    const agent = new Agent();
    const purposes = [
      ["GET", `/inbox/${agent.id}`, 1],
      ["DELETE", `/inbox/${agent.id}/purge?sender=${agent.id}`, 2],
      ["GET", `/inbox/${agent.id}/live`, 3],
      ["DELETE", `/inbox/${agent.id}?through=1`, 4],
      ["GET", "/invite/w42", 5],
    ];
    const origin = sha256(`agentpair-origin-v1\x00127.0.0.1:${relay.port}`).slice(0, 20);
    for (const [method, path, purpose] of purposes) {
      const answer = await relay.client.send(method, path);
      assert.equal(answer.json.challenge.length, 43);
      const bytes = Buffer.from(answer.json.challenge, "base64url");
      assert.equal(bytes.subarray(0, 2).toString("hex"), "a750");
      assert.equal(bytes[2], purpose);
      assert.equal(bytes.readUInt32BE(3) * 1000, answer.json.expires_at);
      assert.equal(bytes.subarray(12, 22).toString("hex"), origin);
    }
  });

  it("W06_a_challenge_is_good_for_one_relay_act_and_agent: are good once, for one agent, purpose and relay", async () => {
    const { client } = relay;
    const { recipient } = await pairOf(client);
    const path = `/inbox/${recipient.id}`;
    const used = await client.signed(recipient, "GET", path);
    assert.equal((await client.get(used)).status, 200);
    refused(await client.get(used), 403, "challenge_invalid");

    const challenge = await ask(path);
    const signed = (agent, text = challenge) => `challenge=${text}&sig=${agent.sign(text)}`;
    const other = new Agent();
    // A failed attempt does not burn it.
    for (const query of [
      signed(other),
      `challenge=${challenge}&sig=${base64url(Buffer.alloc(64))}`,
      `challenge=${challenge}&sig=${recipient.sign(challenge)}=`,
      `challenge=${challenge}&sig=!`,
      signed(recipient, base64url(Buffer.alloc(32))),
      signed(recipient, `${challenge}=`),
      signed(recipient, await ask(`/inbox/${other.id}`)),
      signed(recipient, await ask(`${path}/live`)),
      signed(recipient, await ask(`${path}?through=1`, "DELETE")),
    ]) {
      refused(await client.get(`${path}?${query}`), 403, "challenge_invalid");
    }
    refused(await client.delete(`${path}/purge?sender=${other.id}&${signed(recipient)}`), 403, "challenge_invalid");
    assert.equal((await client.get(`${path}?${signed(recipient)}`)).status, 200);
  });

  it("W07_a_stranger_displaces_no_challenge: do not displace each other, whoever asks", async () => {
    const { client } = relay;
    const { recipient } = await pairOf(client);
    const first = await client.signed(recipient, "GET", `/inbox/${recipient.id}`);
    for (let i = 0; i < 20; i += 1) await ask(`/inbox/${recipient.id}`);
    assert.equal((await client.get(first)).status, 200);
  });

  it("missing half, ask again; for an alias, never pass", async () => {
    const { client } = relay;
    const agent = new Agent();
    const challenge = await ask(`/inbox/${agent.id}`);
    await ask(`/inbox/${agent.id}?challenge=${challenge}`);
    await ask(`/inbox/${agent.id}?sig=${agent.sign(challenge)}`);
    const alias = `/inbox/${agent.id}==`;
    refused(await client.get(await client.signed(agent, "GET", alias)), 403, "challenge_invalid");
  });
});
