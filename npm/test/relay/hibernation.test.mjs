// An object that had no event for about ten seconds is thrown out of memory, and its sockets stay. That it happened is
// seen from outside: the server closes the object's database.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { databases } from "./disk.mjs";
import { Live, pairOf, until, useRelay } from "./kit.mjs";
import { isLinux, openFiles, serverPid } from "./processes.mjs";

describe("the live streams of objects that sleep", { skip: !isLinux }, () => {
  const relay = useRelay({ variables: { LIMIT_LIVE_FRAMES: "2", LIMIT_LIVE_SOCKETS: "2" } });

  /** A stream that has its two frames of three. */
  async function follow() {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const deliver = async () => {
      assert.equal((await client.deliver(recipient, sender.envelope(recipient))).status, 204);
    };
    for (let n = 0; n < 3; n += 1) await deliver();
    const live = await Live.open(client, recipient);
    await live.next();
    assert.deepEqual(await live.rows(2), [1, 2]);
    await live.isSilent();
    const remaining = async () => (await client.pull(recipient)).rowids;
    return { recipient, deliver, live, remaining };
  }

  it("are where they were: what was sent, what was acknowledged, how many there may be", async () => {
    const streams = [await follow(), await follow(), await follow()];
    const [acknowledging, receiving, reopening] = streams;
    const pid = serverPid(relay);
    const awake = () => openFiles(pid).filter((file) => databases(relay.data).includes(file)).length;
    assert.equal(awake(), 3);
    const asleep = async () => {
      // A `ping` is answered for the object, without waking it.
      for (const { live } of streams) await live.isSilent();
      return awake() === 0;
    };
    await until(asleep, "they stay awake", 60_000);

    // The first that happens is an acknowledgement.
    acknowledging.live.ack(1);
    assert.deepEqual(await acknowledging.live.rows(1), [3]);
    await acknowledging.live.isSilent();
    assert.deepEqual(await acknowledging.remaining(), [2, 3]);
    assert.equal(awake(), 1, "the others sleep on");

    // The first that happens is a message: the window is full, so it waits for its turn.
    await receiving.deliver();
    await receiving.live.isSilent();
    receiving.live.ack(2);
    assert.deepEqual(await receiving.live.rows(2), [3, 4]);
    assert.deepEqual(await receiving.remaining(), [3, 4]);

    // The first that happens is a second and a third stream: the sleeper counts, and is the oldest.
    const second = await Live.open(relay.client, reopening.recipient);
    await second.next();
    await reopening.live.isSilent();
    const third = await Live.open(relay.client, reopening.recipient);
    assert.deepEqual(await reopening.live.end(), [4008, "live_replaced"]);
    await third.next();
    assert.deepEqual(await third.rows(2), [1, 2]);
    await Promise.all([acknowledging.live, receiving.live, second, third].map((live) => live.close()));
  });
});
