// POST /inbox/{id}: what is refused, in which order, and what is kept.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { Agent, base64url, inParallel, nowSeconds, pairOf, refused, useRelay } from "./kit.mjs";

describe("writing to an inbox", () => {
  const relay = useRelay();

  it("W46_the_relay_measures_before_it_parses: refuses in the draft's order: of two faults the earlier is told", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const stranger = new Agent();
    const wire = (options) => sender.envelope(recipient, options);
    const bad = { sig: base64url(Buffer.alloc(64)) };
    const elsewhere = { to: stranger.id };
    const past = { ttl: nowSeconds() - 1 };
    const cases = [
      // size, before anything is parsed
      [413, "envelope_too_large", wire({ pad: 65_537, outer: { v: 2 } })],
      [413, "envelope_too_large", "x".repeat(65_537)],
      // outer version, then outer shape
      [400, "unsupported_version", wire({ outer: { v: 2, blob: "!" } })],
      [400, "invalid_json", ""],
      [400, "invalid_json", "{"],
      [400, "invalid_json", "null"],
      [400, "invalid_json", "[]"],
      [400, "invalid_json", wire({ outer: { v: "1" } })],
      [400, "invalid_json", wire({ outer: { sig: 5 } })],
      // blob and body
      [400, "invalid_json", wire({ outer: { blob: "e30" } })],
      [400, "invalid_json", wire({ outer: { blob: "e30=" } })],
      [400, "invalid_json", wire({ body: { seq: "1", v: 2 } })],
      [400, "invalid_json", wire({ body: { payload: 5 }, outer: elsewhere })],
      // versions agree, then addresses
      [400, "version_mismatch", wire({ body: { v: 2 }, outer: elsewhere })],
      [400, "routing_mismatch", wire({ outer: elsewhere, body: past })],
      [400, "routing_mismatch", wire({ outer: { from: stranger.id }, body: past })],
      [400, "routing_mismatch", wire({ body: { ...elsewhere, ...past } })],
      // time, then signature, then allowlist
      [400, "envelope_expired", wire({ body: past, outer: bad })],
      [400, "envelope_expired", wire({ body: { ttl: nowSeconds() } })],
      [400, "envelope_expired", wire({ body: { ttl: 0 } })],
      [400, "envelope_expired", wire({ body: { ttl: -1 } })],
      [403, "invalid_signature", stranger.envelope(recipient, { outer: bad })],
      [403, "invalid_signature", wire({ outer: { sig: "AA" } })],
      [403, "invalid_signature", wire({ outer: { sig: "" } })],
      [403, "recipient_not_allowed", stranger.envelope(recipient)],
    ];
    for (const [status, error, body] of cases) {
      refused(await client.post(`/inbox/${recipient.id}`, body), status, error);
    }
    assert.deepEqual((await client.pull(recipient)).envelopes, []);
  });

  it("stops reading a body that is far too large, whether it says so or not", async () => {
    const { client } = relay;
    const { recipient } = await pairOf(client);
    const body = "x".repeat(131_073);
    refused(await client.post(`/inbox/${recipient.id}`, body), 413, "envelope_too_large");
    const stream = new Blob([body]).stream();
    refused(await client.post(`/inbox/${recipient.id}`, stream), 413, "envelope_too_large");
  });

  it("takes ids raw and percent-encoded, and no other spelling", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    for (const id of [recipient.id, encodeURIComponent(recipient.id), recipient.id.replace(":", "%3a")]) {
      assert.equal((await client.post(`/inbox/${id}`, sender.envelope(recipient))).status, 204);
    }
    // Padding and spare bits decode to the same key for a lenient reader.
    const alias = `${recipient.id}==`;
    const wire = sender.envelope(alias);
    refused(await client.post(`/inbox/${alias}`, wire), 403, "recipient_not_allowed");
    const from = { from: `${sender.id}==` };
    const disguised = sender.envelope(recipient, { body: from, outer: from });
    refused(await client.deliver(recipient, disguised), 403, "invalid_signature");
  });

  it("answers a retry without a second row, and another text under the same id with 409", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const body = { id: randomUUID() };
    const wire = sender.envelope(recipient, { body });
    for (let i = 0; i < 3; i += 1) assert.equal((await client.deliver(recipient, wire)).status, 204);
    const other = sender.envelope(recipient, { body, seq: 2 });
    refused(await client.deliver(recipient, other), 409, "envelope_id_collision");
    assert.deepEqual((await client.pull(recipient)).envelopes, [JSON.parse(wire)]);
  });

  it("keeps ids apart by inbox: the same id may wait in two", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const other = new Agent();
    await client.allow(other, [sender]);
    const body = { id: "shared" };
    for (const to of [recipient, other]) {
      assert.equal((await client.deliver(to, sender.envelope(to, { body }))).status, 204);
    }
  });

  it("settles 200 posts of one id at once: one is stored", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const body = { id: randomUUID() };
    const same = sender.envelope(recipient, { body });
    const answers = await inParallel(
      200,
      Array.from({ length: 200 }, () => () => client.deliver(recipient, same)),
    );
    assert.ok(answers.every(({ status }) => status === 204));
    const others = await inParallel(
      50,
      Array.from(
        { length: 200 },
        (_, seq) => () => client.deliver(recipient, sender.envelope(recipient, { body, seq })),
      ),
    );
    assert.ok(others.every(({ status, json }) => status === 409 && json.error === "envelope_id_collision"));
    assert.deepEqual((await client.pull(recipient)).envelopes, [JSON.parse(same)]);
  });

  it("settles 200 posts of one id with other bytes each: one wins, and is stored", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const body = { id: randomUUID() };
    const wires = Array.from({ length: 200 }, (_, seq) => sender.envelope(recipient, { body, seq }));
    const answers = await inParallel(
      200,
      wires.map((wire) => () => client.deliver(recipient, wire)),
    );
    const winners = wires.filter((_, n) => answers[n].status === 204);
    assert.equal(winners.length, 1);
    for (const answer of answers) if (answer.status !== 204) refused(answer, 409, "envelope_id_collision");
    const { envelopes, rowids } = await client.pull(recipient);
    assert.deepEqual([envelopes, rowids], [[JSON.parse(winners[0])], [1]]);
    // The winner may repeat itself, as often as it likes; the others have lost for good.
    const again = await inParallel(
      200,
      wires.map((wire) => () => client.deliver(recipient, wire)),
    );
    assert.deepEqual(
      again.map(({ status }) => status),
      answers.map(({ status }) => status),
    );
    assert.deepEqual((await client.pull(recipient)).rowids, [1]);
  });

  it("accepts a ttl of any future", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    for (const ttl of [nowSeconds() + 60, nowSeconds() * 1000, Number.MAX_SAFE_INTEGER]) {
      assert.equal((await client.deliver(recipient, sender.envelope(recipient, { body: { ttl } }))).status, 204);
    }
    refused(
      await client.deliver(recipient, sender.envelope(recipient, { body: { ttl: 2 ** 53 } })),
      400,
      "invalid_json",
    );
  });
});
