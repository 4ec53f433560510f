// An inbox that is full: who fills it, who still gets in, and what makes room again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Agent, inParallel, Live, nowSeconds, refused, until, useRelay } from "./kit.mjs";

const KIB = 1024;

const full = (answer) => {
  refused(answer, 429, "inbox_full");
  assert.equal(answer.headers.get("retry-after"), "60");
};

/** A recipient and its senders. */
async function inboxOf(client, count) {
  const recipient = new Agent();
  const senders = Array.from({ length: count }, () => new Agent());
  await client.allow(recipient, senders);
  const deliver = (n, options) => client.deliver(recipient, senders[n].envelope(recipient, options));
  return { recipient, senders, deliver };
}

describe("a greedy sender", () => {
  const relay = useRelay({ variables: { LIMIT_SENDER_ROWS: "256" } });

  it("gets its share, however fast it writes, and a quiet one gets through at any time", async () => {
    const { client } = relay;
    const { recipient, deliver } = await inboxOf(client, 2);
    const flood = inParallel(
      16,
      Array.from({ length: 300 }, (_, seq) => () => deliver(0, { seq })),
    );
    const quiet = [];
    let isFlooding = true;
    const whisper = (async () => {
      for (let seq = 1; isFlooding || quiet.length < 20; seq += 1) quiet.push(await deliver(1, { seq }));
    })();
    const loud = await flood;
    isFlooding = false;
    await whisper;
    const refusals = loud.filter(({ status }) => status !== 204);
    assert.equal(loud.length - refusals.length, 256);
    refusals.forEach(full);
    assert.ok(quiet.length >= 20 && quiet.every(({ status }) => status === 204));
    const rows = [];
    for (let since = 0, more = true; more; since = rows.at(-1)) {
      const page = await client.pull(recipient, `since=${since}`);
      rows.push(...page.rowids);
      more = page.more;
    }
    assert.equal(rows.length, 256 + quiet.length);
  });
});

describe("greedy senders together", () => {
  const relay = useRelay({
    variables: {
      LIMIT_INBOX_BYTES: String(256 * KIB),
      LIMIT_SENDER_BYTES: String(128 * KIB),
      LIMIT_RESERVE_BYTES: String(32 * KIB),
      LIMIT_RESERVE_HOLDING_BYTES: String(8 * KIB),
    },
  });

  it("leave the reserve to quiet ones, also when all write at once", async () => {
    const { client } = relay;
    const { deliver } = await inboxOf(client, 9);
    const pad = 16 * KIB;
    const flood = Array.from({ length: 45 }, (_, n) => () => deliver(n % 3, { pad }));
    const loud = await inParallel(45, flood);
    assert.equal(loud.filter(({ status }) => status === 204).length * pad, 224 * KIB);
    loud.filter(({ status }) => status !== 204).forEach(full);
    // Six quiet ones want half as much again as the reserve has.
    const quiet = await inParallel(
      6,
      Array.from({ length: 6 }, (_, n) => () => deliver(3 + n, { pad: 8 * KIB })),
    );
    assert.equal(quiet.filter(({ status }) => status === 204).length, 4);
    quiet.filter(({ status }) => status !== 204).forEach(full);
  });
});

describe("a full inbox", () => {
  const relay = useRelay({ variables: { LIMIT_INBOX_ROWS: "4" } });

  /** An inbox that two senders have filled, with two rows each. */
  async function fill(options) {
    const { client } = relay;
    const inbox = await inboxOf(client, 2);
    const wires = [0, 0, 1, 1].map((n, seq) => inbox.senders[n].envelope(inbox.recipient, { seq, ...options }));
    for (const wire of wires) assert.equal((await client.deliver(inbox.recipient, wire)).status, 204);
    full(await inbox.deliver(0));
    return { ...inbox, client, wires };
  }

  it("knows again what it has, and tells a collision", async () => {
    const { client, recipient, senders, wires, deliver } = await fill({ body: {} });
    for (const wire of wires) assert.equal((await client.deliver(recipient, wire)).status, 204);
    const { id } = JSON.parse(Buffer.from(JSON.parse(wires[0]).blob, "base64url"));
    const other = senders[0].envelope(recipient, { body: { id }, seq: 9 });
    refused(await client.deliver(recipient, other), 409, "envelope_id_collision");
    full(await deliver(1));
  });

  for (const [act, makeRoom, free] of [
    ["a trim", ({ client, recipient }) => client.trim(recipient, 2), 2],
    ["a purge of one sender", ({ client, recipient, senders }) => client.purge(recipient, senders[1]), 2],
    [
      "an allowlist without one sender",
      ({ client, recipient, senders }) => client.allow(recipient, [senders[0], new Agent()]),
      2,
    ],
    [
      "an acknowledgement on a live stream",
      async ({ client, recipient }) => {
        const live = await Live.open(client, recipient);
        await live.next();
        live.ack((await live.rows(3)).at(-1));
        await until(async () => (await client.pull(recipient)).rowids.length === 1, "nothing is trimmed");
        await live.close();
      },
      3,
    ],
  ]) {
    it(`has room again after ${act}`, async () => {
      const inbox = await fill();
      await makeRoom(inbox);
      for (let n = 0; n < free; n += 1) assert.equal((await inbox.deliver(0, { seq: 10 + n })).status, 204);
      full(await inbox.deliver(0, { seq: 20 }));
      const { rowids } = await inbox.client.pull(inbox.recipient);
      assert.equal(rowids.length, 4);
      assert.deepEqual(rowids.slice(-free), [5, 6, 7].slice(0, free), "row ids go on");
    });
  }

  it("has room again when its rows expire, before they are swept", async () => {
    const ttl = nowSeconds() + 3;
    const { deliver } = await fill({ body: { ttl } });
    await until(async () => (await deliver(0)).status === 204, "they do not expire");
    assert.ok(nowSeconds() >= ttl);
    for (let n = 0; n < 3; n += 1) assert.equal((await deliver(1)).status, 204);
    full(await deliver(1));
  });
});
