// What takes minutes, or 10 MiB at a time: `make relay-conformance-full`. The first part uses only what the draft has, so
// it runs against any base URL: AGENTPAIR_CONFORMANCE_URL=https://…; the second is about the bounds of our relay as they
// are by default, and is left out there.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { ownerOf, uploadAlone } from "./artifacts.mjs";
import { Agent, Client, inParallel, Live, pairOf, refused, sha256, useRelay } from "./kit.mjs";

const elsewhere = process.env.AGENTPAIR_CONFORMANCE_URL;
const MIB = 1024 * 1024;
const json = { headers: { "content-type": "application/json" } };

describe("what takes its time", { concurrency: true }, () => {
  describe("conformance with the draft", { concurrency: true }, () => {
    const relay = elsewhere === undefined ? useRelay() : { client: new Client(elsewhere.replace(/\/$/, "")) };
    let client;
    before(() => {
      client = relay.client;
    });

    it("pair-ttl: five minutes after its first message a session is lost", async () => {
      const path = `/pair/conformance-pair-ttl-${randomUUID()}`;
      const post = (message) => client.post(path, message, json);
      assert.equal((await post('{"phase":"pake"}')).status, 204);
      await pass(150_000);
      assert.equal((await post('{"phase":"confirm"}')).status, 204);
      await pass(140_000);
      const late = await client.get(path);
      assert.deepEqual([late.status, late.text], [200, '{"phase":"confirm"}'], "after 290 s it is there");
      await pass(15_000);
      refused(await client.get(path), 410, "pair_session_lost");
      refused(await post('{"phase":"pake"}'), 410, "pair_session_lost");
    });

    it("artifact-10mb: the largest artifact of the draft comes back as it went", async () => {
      const bytes = Buffer.alloc(10 * MIB, 0xab);
      assert.equal((await uploadAlone(client, await ownerOf(client), bytes)).status, 204);
      const response = await fetch(`${client.url}/artifact/${sha256(bytes)}`);
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
    });

    it("hash-verify: an artifact of 10 MiB that differs in its last byte is refused, and not kept", async () => {
      const owner = await ownerOf(client);
      const bytes = Buffer.alloc(10 * MIB, 0xcd);
      const hash = sha256(bytes);
      bytes[bytes.length - 1] += 1;
      refused(await uploadAlone(client, owner, bytes, hash), 400, "hash_mismatch");
      refused(await client.get(`/artifact/${hash}`), 404, "artifact_not_found");
    });
  });

  describe("the default bounds of artifacts", { concurrency: true, skip: elsewhere !== undefined }, () => {
    const relay = useRelay();

    it("an artifact: 10 MiB, and the 40 bytes of its seal", async () => {
      const { client } = relay;
      const owner = await ownerOf(client);
      for (const [size, status] of [
        [10 * MIB + 39, 204],
        [10 * MIB + 40, 204],
        [10 * MIB + 41, 413],
      ]) {
        const answer = await uploadAlone(client, owner, Buffer.alloc(size, size % 251));
        assert.equal(answer.status, status, answer.text);
        if (status === 413) assert.equal(answer.json.error, "payload_too_large");
      }
    });

    it("the artifacts of one owner: 50 MiB", async () => {
      const { client } = relay;
      const owner = await ownerOf(client);
      for (let n = 0; n < 5; n += 1) {
        assert.equal((await uploadAlone(client, owner, Buffer.alloc(10 * MIB, n))).status, 204);
      }
      refused(await uploadAlone(client, owner, Buffer.alloc(1)), 413, "quota_exceeded");
    });
  });

  describe("the default bounds", { concurrency: true, skip: elsewhere !== undefined }, () => {
    const relay = useRelay();

    it("the rows of a sender, 1,024, and of an inbox, 4,096", async () => {
      const { client } = relay;
      const recipient = new Agent();
      const senders = Array.from({ length: 5 }, () => new Agent());
      await client.allow(recipient, senders);
      const write = async (sender, count) => {
        const posts = Array.from({ length: count }, (_, seq) => () => {
          return client.deliver(recipient, sender.envelope(recipient, { seq }));
        });
        const answers = await inParallel(8, posts);
        return answers.filter(({ status }) => status === 204).length;
      };
      for (const sender of senders.slice(0, 4)) assert.equal(await write(sender, 1_026), 1_024);
      assert.equal(await write(senders[4], 2), 0);
    });

    it("the bytes of a sender: 8 MiB", async () => {
      const { client } = relay;
      const { sender, recipient } = await pairOf(client);
      const posts = Array.from({ length: 130 }, (_, seq) => () => {
        return client.deliver(recipient, sender.envelope(recipient, { seq, pad: 65_536 }));
      });
      const answers = await inParallel(4, posts);
      assert.equal(answers.filter(({ status }) => status === 204).length, 128);
    });

    it("a challenge: a minute", async () => {
      const { client } = relay;
      const { recipient } = await pairOf(client);
      const path = `/inbox/${recipient.id}`;
      const signed = await Promise.all([0, 1].map(() => client.signed(recipient, "GET", path)));
      await pass(57_000);
      assert.equal((await client.get(signed[0])).status, 200);
      await pass(4_000);
      refused(await client.get(signed[1]), 403, "challenge_invalid");
    });

    it("a wait: 25 seconds", async () => {
      const { client } = relay;
      const asked = Date.now();
      refused(await client.get(`/pair/${randomUUID()}?wait=60`, { timeout: 60_000 }), 404, "pair_not_found");
      const waited = Date.now() - asked;
      assert.ok(waited >= 25_000 && waited < 35_000, `${waited} ms`);
    });

    it("who waits for a session is told of its end", async () => {
      const { client } = relay;
      const path = `/pair/${randomUUID()}`;
      const posted = Date.now();
      const { headers } = await client.post(path, "mine");
      await pass(280_000);
      const lost = await client.get(`${path}?wait=25&not=${headers.get("etag")}`, { timeout: 60_000 });
      refused(lost, 410, "pair_session_lost");
      const lived = Date.now() - posted;
      assert.ok(lived >= 300_000 && lived < 306_000, `${lived} ms`);
    });

    it("a stream that was silent for five minutes goes on", async () => {
      const { client } = relay;
      const { sender, recipient } = await pairOf(client);
      const live = await Live.open(client, recipient);
      await live.next();
      await pass(300_000);
      await live.isSilent();
      assert.equal((await client.deliver(recipient, sender.envelope(recipient))).status, 204);
      assert.deepEqual(await live.rows(1), [1]);
      await live.close();
    });
  });
});
