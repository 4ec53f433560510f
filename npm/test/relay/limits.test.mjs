// Every bound of worker-relay/src/limits.rs: one below it, at it, and one above it. A bound of time is held between
// two looks at the relay: whatever is seen, is seen before its end, and whatever is gone, went after it.

import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { before, describe, it } from "node:test";
import { beginUpload, ownerOf, upload } from "./artifacts.mjs";
import { rowsOf } from "./disk.mjs";
import { claim, claimId, Inviter } from "./invites.mjs";
import { Agent, Live, LONG_POLL_MS, nowSeconds, pairOf, refused, sha256, until, useRelay } from "./kit.mjs";

const KIB = 1024;

/** At their defaults. */
const DEFAULTS = {
  LIMIT_ENVELOPE_BYTES: 65_536,
  LIMIT_ALLOWLIST_BODY_BYTES: 131_072,
  LIMIT_PAIR_MESSAGE_BYTES: 16_384,
  LIMIT_INVITE_BYTES: 8_192,
};

/** Lowered, because so much would take too long. */
const SMALL = {
  LIMIT_INBOX_ROWS: 8,
  LIMIT_SENDER_ROWS: 5,
  LIMIT_INBOX_BYTES: 64 * KIB,
  LIMIT_SENDER_BYTES: 32 * KIB,
  LIMIT_RESERVE_BYTES: 16 * KIB,
  LIMIT_RESERVE_HOLDING_BYTES: 4 * KIB,
  LIMIT_TRIMMED_ROWS: 3,
  LIMIT_PULL_ROWS: 4,
  LIMIT_PULL_BYTES: 10_000,
  LIMIT_LIVE_SOCKETS: 3,
  LIMIT_LIVE_FRAMES: 3,
  LIMIT_LIVE_BYTES: 12_000,
  LIMIT_PAIR_WAITERS: 3,
  LIMIT_REFUSED_CLAIMS: 3,
  LIMIT_ARTIFACT_BYTES: 900,
  ARTIFACT_QUOTA_BYTES: 1_000,
  LIMIT_ARTIFACT_UPLOAD_MS: 1_500,
};

/** Shortened, and what stands behind a bound that is otherwise met first. */
const SHORT = {
  LIMIT_INBOX_BODY_BYTES: 2_000,
  LIMIT_ENVELOPE_LIFE_MS: 1_500,
  LIMIT_PAIR_SESSION_MS: 1_500,
  LIMIT_PAIR_WAIT_MS: 1_000,
  LIMIT_INVITE_MS: 1_500,
  LIMIT_TOMBSTONE_MS: 1_500,
  ARTIFACT_RETENTION_MS: 1_500,
  LIMIT_SWEEP_GRAIN_MS: 2_000,
  LIMIT_CHALLENGE_MS: 6_000,
};

/** Something of this size is taken one byte below the bound and at it, and is refused one byte above it. */
async function sizes(bound, send, [status, error]) {
  for (const size of [bound - 1, bound]) {
    const answer = await send(size);
    assert.ok(answer.status < 300, `${size} bytes: ${answer.status} ${answer.text}`);
  }
  refused(await send(bound + 1), status, error);
}

/** What begins with `begin` is there for so many milliseconds. */
async function lasts(life, begin, isThere) {
  const before = Date.now();
  await begin();
  const begun = Date.now();
  for (;;) {
    const asked = Date.now();
    if (!(await isThere())) break;
    assert.ok(asked <= begun + life, `still there ${asked - begun} ms later`);
    await new Promise((done) => setTimeout(done, 10));
  }
  const lived = Date.now() - before;
  assert.ok(lived >= life, `gone after ${lived} ms`);
}

/** A recipient and its senders. `deliver` writes an envelope of that size. */
async function inboxOf(client, count) {
  const recipient = new Agent();
  const senders = Array.from({ length: count }, () => new Agent());
  await client.allow(recipient, senders);
  const deliver = (n, pad) => client.deliver(recipient, senders[n].envelope(recipient, { pad }));
  const fill = async (...writes) => {
    for (const [n, pad] of writes) assert.equal((await deliver(n, pad)).status, 204);
  };
  return { recipient, senders, deliver, fill };
}

const FULL = [429, "inbox_full"];

const PROBES = {
  async LIMIT_ENVELOPE_BYTES({ client }, bound) {
    const { deliver } = await inboxOf(client, 1);
    await sizes(bound, (size) => deliver(0, size), [413, "envelope_too_large"]);
  },

  async LIMIT_INBOX_BODY_BYTES({ client }, bound) {
    const { recipient, senders, deliver } = await inboxOf(client, 1);
    await sizes(bound, (size) => deliver(0, size), [413, "envelope_too_large"]);
    // As well where the request does not say how long it is.
    const streamed = (pad) => client.deliver(recipient, new Blob([senders[0].envelope(recipient, { pad })]).stream());
    await sizes(bound, streamed, [413, "envelope_too_large"]);
  },

  async LIMIT_ALLOWLIST_BODY_BYTES({ client }, bound) {
    const owner = new Agent();
    // White space after JSON is legal, so any size can be met.
    const put = (size) => client.put(`/allowlist/${owner.id}`, owner.allowlist([]).padEnd(size, " "));
    await sizes(bound, put, [413, "payload_too_large"]);
  },

  async LIMIT_INBOX_ROWS({ client }, bound) {
    const { fill, deliver } = await inboxOf(client, 3);
    await fill(...Array.from({ length: bound }, (_, n) => [n % 3]));
    refused(await deliver(0), ...FULL);
  },

  async LIMIT_SENDER_ROWS({ client }, bound) {
    const { fill, deliver } = await inboxOf(client, 2);
    await fill(...Array(bound).fill([0]));
    refused(await deliver(0), ...FULL);
    await fill([1]);
  },

  async LIMIT_INBOX_BYTES({ client }, bound) {
    // Two senders up to the reserve, then small ones: the last of them fills it.
    await sizes(
      bound,
      async (size) => {
        const { fill, deliver } = await inboxOf(client, 6);
        await fill([0, 24 * KIB], [1, 24 * KIB], [2, 4 * KIB], [3, 4 * KIB], [4, 4 * KIB], [5, 3 * KIB]);
        return deliver(5, size - 63 * KIB);
      },
      FULL,
    );
  },

  async LIMIT_SENDER_BYTES({ client }, bound) {
    await sizes(
      bound,
      async (size) => {
        const { fill, deliver } = await inboxOf(client, 1);
        await fill([0, bound - KIB]);
        return deliver(0, size - (bound - KIB));
      },
      FULL,
    );
  },

  async LIMIT_RESERVE_BYTES({ client }, bound) {
    const most = SMALL.LIMIT_INBOX_BYTES - bound;
    await sizes(
      most,
      async (size) => {
        const { fill, deliver } = await inboxOf(client, 2);
        await fill([0, 24 * KIB], [1, most - 25 * KIB]);
        return deliver(1, size - (most - KIB));
      },
      FULL,
    );
  },

  async LIMIT_RESERVE_HOLDING_BYTES({ client }, bound) {
    const most = SMALL.LIMIT_INBOX_BYTES - SMALL.LIMIT_RESERVE_BYTES;
    await sizes(
      bound,
      async (size) => {
        const { fill, deliver } = await inboxOf(client, 3);
        await fill([0, 24 * KIB], [1, most - 24 * KIB], [2, 2 * KIB]);
        return deliver(2, size - 2 * KIB);
      },
      FULL,
    );
  },

  async LIMIT_ENVELOPE_LIFE_MS({ client }, bound) {
    const { recipient, fill } = await inboxOf(client, 1);
    await lasts(
      bound,
      () => fill([0]),
      async () => (await client.pull(recipient)).envelopes.length === 1,
    );
  },

  async LIMIT_TRIMMED_ROWS({ client }, bound) {
    const { sender, recipient } = await pairOf(client);
    const wires = Array.from({ length: bound + 1 }, (_, seq) => sender.envelope(recipient, { seq }));
    for (const wire of wires) assert.equal((await client.deliver(recipient, wire)).status, 204);
    assert.equal((await client.trim(recipient, wires.length)).json.trimmed, wires.length);
    // Those that are remembered are not stored again. The newest first: a new row makes the oldest forgotten.
    for (const wire of wires.reverse()) assert.equal((await client.deliver(recipient, wire)).status, 204);
    const forgotten = JSON.parse(wires.at(-1));
    assert.deepEqual((await client.pull(recipient)).envelopes, [forgotten]);
  },

  async LIMIT_PULL_ROWS({ client }, bound) {
    for (const count of [bound - 1, bound, bound + 1]) {
      const { recipient, fill } = await inboxOf(client, 2);
      await fill(...Array.from({ length: count }, (_, n) => [n % 2]));
      const { envelopes, more } = await client.pull(recipient);
      assert.deepEqual([envelopes.length, more], [Math.min(count, bound), count > bound]);
    }
  },

  async LIMIT_PULL_BYTES({ client }, bound) {
    for (const size of [bound - 1, bound, bound + 1]) {
      const { recipient, fill } = await inboxOf(client, 1);
      await fill([0, 4 * KIB], [0, size - 4 * KIB]);
      const { envelopes, more } = await client.pull(recipient);
      assert.deepEqual([envelopes.length, more], size > bound ? [1, true] : [2, false]);
    }
  },

  async LIMIT_LIVE_SOCKETS({ client }, bound) {
    const { recipient } = await pairOf(client);
    const open = () => Live.open(client, recipient);
    const streams = [];
    for (let n = 0; n < bound; n += 1) streams.push(await open());
    for (const live of streams) {
      await live.next();
      await live.isSilent();
    }
    streams.push(await open());
    assert.deepEqual(await streams[0].end(), [4008, "live_replaced"]);
    await streams.at(-1).next();
    for (const live of streams.slice(1)) await live.isSilent();
    await Promise.all(streams.slice(1).map((live) => live.close()));
  },

  async LIMIT_LIVE_FRAMES({ client }, bound) {
    for (const count of [bound - 1, bound, bound + 1]) {
      const { recipient, fill } = await inboxOf(client, 1);
      await fill(...Array(count).fill([0]));
      const live = await Live.open(client, recipient);
      await live.next();
      await live.rows(Math.min(count, bound));
      await live.isSilent();
      await live.close();
    }
  },

  async LIMIT_LIVE_BYTES({ client }, bound) {
    for (const size of [bound - 1, bound, bound + 1]) {
      const { recipient, fill } = await inboxOf(client, 1);
      await fill([0, 4 * KIB], [0, size - 4 * KIB]);
      const live = await Live.open(client, recipient);
      await live.next();
      await live.rows(size > bound ? 1 : 2);
      await live.isSilent();
      await live.close();
    }
  },

  async LIMIT_PAIR_MESSAGE_BYTES({ client }, bound) {
    const post = (size) => client.post(`/pair/${randomUUID()}`, "x".repeat(size));
    await sizes(bound, post, [413, "payload_too_large"]);
    const streamed = (size) => client.post(`/pair/${randomUUID()}`, new Blob(["x".repeat(size)]).stream());
    await sizes(bound, streamed, [413, "payload_too_large"]);
  },

  async LIMIT_PAIR_SESSION_MS({ client }, bound) {
    const path = `/pair/${randomUUID()}`;
    await lasts(
      bound,
      () => client.post(path, "first"),
      async () => (await client.get(path)).status === 200,
    );
  },

  async LIMIT_PAIR_WAITERS({ client }, bound) {
    const path = `/pair/${randomUUID()}`;
    const settled = [];
    const wait = async () => {
      const { status } = await client.get(`${path}?wait=20`, { timeout: LONG_POLL_MS });
      settled.push(status);
    };
    // A short wait comes back when those that were sent before it have long arrived.
    const look = async () => refused(await client.get(`${path}?wait=0.3`), 404, "pair_not_found");
    const waiting = Array.from({ length: bound - 1 }, wait);
    await look();
    assert.deepEqual(settled, [], "with the look they were as many as may wait");
    waiting.push(wait(), wait());
    await until(() => settled.length > 0, "nobody makes room for one more");
    await look();
    assert.deepEqual(settled, [404, 404], "one for the last of them, one for the look");
    assert.equal((await client.post(path, "there")).status, 204);
    await Promise.all(waiting);
    assert.deepEqual(settled.slice(2), Array(bound - 1).fill(200));
  },

  async LIMIT_PAIR_WAIT_MS({ client }, bound) {
    const path = `/pair/${randomUUID()}`;
    const waits = async (ms) => {
      const asked = Date.now();
      refused(await client.get(`${path}?wait=${ms / 1000}`), 404, "pair_not_found");
      return Date.now() - asked;
    };
    const [below, at, above, far] = await Promise.all([bound - 1, bound, bound + 1, 9_000].map(waits));
    assert.ok(below >= bound - 1 && at >= bound && above >= bound && far >= bound, `${[below, at, above, far]} ms`);
    assert.ok(far - at < bound / 2, `${far - at} ms more for one that would wait longer`);
  },

  async LIMIT_INVITE_BYTES({ client }, bound) {
    const put = (size) => {
      const inviter = new Inviter();
      return client.put(inviter.path, inviter.body().padEnd(size, " "));
    };
    await sizes(bound, put, [413, "payload_too_large"]);
  },

  async LIMIT_INVITE_MS({ client }, bound) {
    const [inviter, id] = [new Inviter(), claimId()];
    await lasts(
      bound,
      () => inviter.publish(client),
      async () => (await claim(client, inviter.path, id)).status === 200,
    );
  },

  async LIMIT_TOMBSTONE_MS({ client }, bound) {
    const inviter = await new Inviter().publish(client);
    const session = `/pair/${randomUUID()}`;
    await Promise.all([
      lasts(
        bound,
        () => client.delete(inviter.withdrawal()),
        async () => (await claim(client, inviter.path, claimId())).status === 410,
      ),
      lasts(
        SHORT.LIMIT_PAIR_SESSION_MS + bound,
        () => client.post(session, "first"),
        async () => (await client.get(session)).status !== 404,
      ),
    ]);
    refused(await claim(client, inviter.path, claimId()), 404, "invite_not_found");
  },

  async LIMIT_REFUSED_CLAIMS({ client }, bound) {
    const inviter = await new Inviter().publish(client);
    assert.equal((await claim(client, inviter.path, claimId())).status, 200);
    for (let n = 1; n <= bound + 1; n += 1) {
      refused(await claim(client, inviter.path, claimId()), 410, "invite_claimed");
      assert.equal((await inviter.status(client)).refused, Math.min(n, bound));
    }
  },

  async LIMIT_ARTIFACT_BYTES({ client }, bound) {
    await sizes(bound, async (size) => upload(client, await ownerOf(client), randomBytes(size)), [
      413,
      "payload_too_large",
    ]);
  },

  async ARTIFACT_QUOTA_BYTES({ client }, bound) {
    await sizes(
      bound,
      async (size) => {
        const owner = await ownerOf(client);
        assert.equal((await upload(client, owner, randomBytes(600))).status, 204);
        return upload(client, owner, randomBytes(size - 600));
      },
      [413, "quota_exceeded"],
    );
  },

  async ARTIFACT_RETENTION_MS({ client }, bound) {
    const [owner, bytes] = [await ownerOf(client), randomBytes(100)];
    await lasts(
      bound,
      () => upload(client, owner, bytes),
      async () => (await client.get(`/artifact/${sha256(bytes)}`)).status === 200,
    );
  },

  async LIMIT_ARTIFACT_UPLOAD_MS({ client, port, data }, bound) {
    const [owner, bytes] = [await ownerOf(client), randomBytes(600)];
    let socket;
    const begin = async () => {
      socket = await beginUpload(port, owner, bytes);
      const isBegun = () => rowsOf(data, "uploads").some(({ hash }) => hash === sha256(bytes));
      await until(isBegun, "the upload does not begin");
    };
    try {
      await lasts(bound, begin, async () => (await upload(client, owner, randomBytes(401))).status === 413);
    } finally {
      socket?.destroy();
    }
  },

  async LIMIT_SWEEP_GRAIN_MS({ client, data }, bound) {
    // One ends when a sweep is due, the other a second before. Neither lives for longer than the relay lets it.
    for (const before of [0, 1]) {
      const { sender, recipient } = await pairOf(client);
      let swept = 0;
      const isDelivered = async () => {
        swept = Math.ceil((Date.now() + 500 + before * 1_000) / bound) * (bound / 1_000);
        const { status } = await client.deliver(
          recipient,
          sender.envelope(recipient, { body: { ttl: swept - before } }),
        );
        // On a busy machine half a second may pass.
        assert.ok(status === 204 || (status === 400 && nowSeconds() >= swept - before), `${status}`);
        return status === 204;
      };
      await until(isDelivered, "it is always too late");
      const isThere = () => rowsOf(data, "envelopes").some(({ sender: id }) => id === sender.id);
      await until(() => !isThere(), "it stays on the disk");
      assert.ok(Date.now() >= swept * 1_000, `swept ${swept * 1_000 - Date.now()} ms early`);
      assert.ok(nowSeconds() < swept + bound / 1_000, "it is swept one round late");
    }
  },

  async LIMIT_CHALLENGE_MS({ client }, bound) {
    const { recipient } = await pairOf(client);
    const path = `/inbox/${recipient.id}`;
    const issue = async () => {
      const before = Date.now();
      const { challenge, expires_at: end } = (await client.get(path)).json;
      // Whole seconds, rounded down.
      const [earliest, latest] = [before, Date.now()].map((at) => Math.floor((at + bound) / 1_000) * 1_000);
      assert.ok(earliest <= end && end <= latest, `${end} is not from ${earliest} to ${latest}`);
      return { challenge, end };
    };
    const issued = await Promise.all(Array.from({ length: 50 }, issue));
    const after = Date.now();
    const seen = new Set();
    for (const [n, { challenge, end }] of issued.entries()) {
      // One after the other, the last of them when all are over.
      await until(() => Date.now() > after + (n * bound) / (issued.length - 1), "the clock stands");
      const asked = Date.now();
      const { status } = await client.get(`${path}?challenge=${challenge}&sig=${recipient.sign(challenge)}`);
      seen.add(status);
      if (status === 200) assert.ok(asked < end, `good ${asked - end} ms after its end`);
      else assert.ok(Date.now() >= end, `void ${end - Date.now()} ms before its end`);
      await issue();
    }
    assert.deepEqual([...seen], [200, 403]);
  },
};

describe("limits", { concurrency: true }, () => {
  for (const [name, bounds, areSet] of [
    ["at their defaults", DEFAULTS, false],
    ["lowered", SMALL, true],
    ["shortened", SHORT, true],
  ]) {
    describe(name, { concurrency: true }, () => {
      const variables = Object.fromEntries(Object.entries(bounds).map(([limit, bound]) => [limit, String(bound)]));
      const relay = useRelay(areSet ? { variables } : {});
      // The first answers of a relay are slow, and would blur the bounds of time.
      before(() => pairOf(relay.client));
      for (const [limit, bound] of Object.entries(bounds)) {
        it(`${limit}, ${bound}`, () => PROBES[limit](relay, bound));
      }
    });
  }

  it("are all probed here", () => {
    const source = readFileSync(resolve(import.meta.dirname, "../../../worker-relay/src/limits.rs"), "utf8");
    const [, block] = /\nlimits! \{\n(.*?)\n\}\n/s.exec(source);
    const declarations = block.split("\n").filter((line) => !line.trim().startsWith("///"));
    const declared = declarations.map((line) => / = .+, "([A-Z_]+)";$/.exec(line)?.[1] ?? assert.fail(line));
    const probed = [DEFAULTS, SMALL, SHORT].flatMap(Object.keys);
    assert.deepEqual(probed.toSorted(), declared.toSorted());
  });
});
