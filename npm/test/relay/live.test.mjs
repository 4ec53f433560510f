// The live stream: backlog, then what arrives, in row order, no faster than it is acknowledged.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Agent, inParallel, Live, pairOf, refused, until, useRelay } from "./kit.mjs";

async function deliver(client, sender, recipient, count, options) {
  const wires = Array.from({ length: count }, (_, seq) => sender.envelope(recipient, { seq: seq + 1, ...options }));
  for (const wire of wires) assert.equal((await client.deliver(recipient, wire)).status, 204);
  return wires;
}

const upTo = (last, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("the live stream", () => {
  const relay = useRelay({ variables: { LIMIT_LIVE_FRAMES: "5", LIMIT_LIVE_BYTES: "20000" } });

  it("names the epoch, sends the backlog, then what arrives, byte for byte", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const backlog = await deliver(client, sender, recipient, 2);
    const live = await Live.open(client, recipient);
    const { epoch } = await client.pull(recipient);
    assert.equal(await live.nextText(), `{"epoch":"${epoch}"}`);
    for (const [index, wire] of backlog.entries()) {
      assert.equal(await live.nextText(), `{"rowid":${index + 1},"envelope":${wire}}`);
    }
    const [fresh] = await deliver(client, sender, recipient, 1);
    assert.equal(await live.nextText(), `{"rowid":3,"envelope":${fresh}}`);
    await live.isSilent();
    await live.close();
  });

  it("begins after `since`", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    await deliver(client, sender, recipient, 3);
    const live = await Live.open(client, recipient, 2);
    await live.next();
    assert.deepEqual(await live.rows(1), [3]);
    await live.isSilent();
    await live.close();
  });

  it("has at most so many frames out, and goes on when they are acknowledged", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    await deliver(client, sender, recipient, 9);
    const live = await Live.open(client, recipient);
    await live.next();
    assert.deepEqual(await live.rows(5), upTo(5));
    await live.isSilent();
    await deliver(client, sender, recipient, 1);
    await live.isSilent();
    live.ack(2);
    assert.deepEqual(await live.rows(2), [6, 7]);
    await live.isSilent();
    live.ack(7);
    assert.deepEqual(await live.rows(3), [8, 9, 10]);
    await live.isSilent();
    await live.close();
  });

  it("has at most so many bytes out, but always one frame", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    await deliver(client, sender, recipient, 3, { pad: 10_000 });
    await deliver(client, sender, recipient, 2, { pad: 30_000 });
    const live = await Live.open(client, recipient);
    await live.next();
    assert.deepEqual(await live.rows(2), [1, 2]);
    await live.isSilent();
    live.ack(2);
    assert.deepEqual(await live.rows(1), [3]);
    await live.isSilent();
    live.ack(3);
    assert.deepEqual(await live.rows(1), [4]);
    await live.isSilent();
    live.ack(4);
    assert.deepEqual(await live.rows(1), [5]);
    await live.close();
  });

  it("trims what is acknowledged, and never what was not sent", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const [first] = await deliver(client, sender, recipient, 8);
    const live = await Live.open(client, recipient);
    await live.next();
    await live.rows(5);
    live.ack(2);
    await live.rows(2);
    assert.deepEqual((await client.pull(recipient)).rowids, upTo(8, 3));
    // Acknowledging more than was sent (7 so far) trims what was sent.
    live.ack(1_000_000);
    assert.deepEqual(await live.rows(1), [8]);
    assert.deepEqual((await client.pull(recipient)).rowids, [8]);
    assert.equal((await client.deliver(recipient, first)).status, 204, "a late retry");
    await live.isSilent();
    // An older acknowledgement changes nothing.
    live.ack(1);
    await live.isSilent();
    assert.deepEqual((await client.pull(recipient)).rowids, [8]);
    await live.close();
  });

  it("trims nothing for an acknowledgement of what was there before", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    await deliver(client, sender, recipient, 3);
    const live = await Live.open(client, recipient, 2);
    await live.next();
    await live.rows(1);
    live.ack(1);
    await live.isSilent();
    assert.deepEqual((await client.pull(recipient)).rowids, [1, 2, 3]);
    live.ack(3);
    await until(async () => (await client.pull(recipient)).rowids.length === 0, "nothing is trimmed");
    await live.close();
  });

  it("keeps the row order when many write at once", async () => {
    const { client } = relay;
    const recipient = new Agent();
    const senders = Array.from({ length: 8 }, () => new Agent());
    await client.allow(recipient, senders);
    const live = await Live.open(client, recipient);
    await live.next();
    const writing = inParallel(
      8,
      senders.flatMap((sender) =>
        upTo(5).map((seq) => () => client.deliver(recipient, sender.envelope(recipient, { seq }))),
      ),
    );
    const seen = [];
    while (seen.length < 40) {
      seen.push(...(await live.rows(1)));
      live.ack(seen.at(-1));
    }
    assert.ok((await writing).every(({ status }) => status === 204));
    assert.deepEqual(seen, upTo(40));
    await live.isSilent();
    assert.deepEqual((await client.pull(recipient)).rowids, []);
    await live.close();
  });

  it("ends for a client that says something else", async () => {
    const { client } = relay;
    const { recipient } = await pairOf(client);
    for (const frame of ["", "hello", "{}", '{"ack":"1"}', '{"ack":-1}', "[1]"]) {
      const live = await Live.open(client, recipient);
      live.send(frame);
      assert.deepEqual(await live.end(), [1008, "bad_frame"], frame);
    }
  });

  it("gives its challenge to a plain GET, and takes it once, for itself only", async () => {
    const { client } = relay;
    const { recipient } = await pairOf(client);
    const path = `/inbox/${recipient.id}/live`;
    const signed = await client.signed(recipient, "GET", path);
    assert.equal((await client.get(signed)).status, 401, "no upgrade: only another challenge");
    const url = client.url.replace("http", "ws") + signed;
    const live = await new Live(url).opened;
    await live.next();
    await assert.rejects(new Live(url).opened);
    const pull = await client.signed(recipient, "GET", `/inbox/${recipient.id}`);
    await assert.rejects(new Live(client.url.replace("http", "ws") + pull.replace("?", "/live?")).opened);
    await live.close();
  });

  it("is not there for an inbox that was never registered", async () => {
    const { client } = relay;
    await assert.rejects(Live.open(client, new Agent()));
    assert.ok(
      relay.log.some(({ message }) => message.includes('"route":"live"') && message.includes("agent_not_registered")),
    );
  });
});

describe("many live streams of one inbox", () => {
  const relay = useRelay();

  it("are eight; one more ends the oldest", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const open = async () => {
      const live = await Live.open(client, recipient);
      await live.next();
      return live;
    };
    const streams = [];
    for (let i = 0; i < 8; i += 1) streams.push(await open());
    await deliver(client, sender, recipient, 1);
    for (const live of streams) assert.deepEqual(await live.rows(1), [1]);
    const ninth = await open();
    const [oldest, ...others] = streams;
    await until(() => oldest.isEnding, "the oldest is not ended");
    assert.deepEqual(await ninth.rows(1), [1]);
    await deliver(client, sender, recipient, 1);
    for (const live of [...others, ninth]) {
      assert.deepEqual(await live.rows(1), [2]);
      assert.ok(!live.isEnding);
    }
    // Closed ones take no place.
    await others[0].close();
    await until(async () => {
      const next = await open();
      await next.close();
      return !others[1].isEnding;
    }, "a closed one takes a place");
    await Promise.all([...others.slice(1), ninth].map((live) => live.close()));
  });

  it("have the documented window: 256 frames", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const posts = upTo(258).map((seq) => () => client.deliver(recipient, sender.envelope(recipient, { seq })));
    const answers = await inParallel(16, posts);
    assert.ok(answers.every(({ status }) => status === 204));
    const live = await Live.open(client, recipient);
    await live.next();
    assert.deepEqual(await live.rows(256), upTo(256));
    await live.isSilent();
    live.ack(256);
    assert.deepEqual(await live.rows(2), [257, 258]);
    live.ack(258);
    await until(async () => (await client.pull(recipient)).rowids.length === 0, "the last frames are not trimmed");
    const page = await client.pull(recipient);
    assert.equal(page.more, false);
    await live.close();
    refused(await client.get(`/inbox/${recipient.id}/livestream`), 404, "not_found");
  });
});
