// A panic in Rust ends the wasm instance that all objects of the process share. The shim must turn that into
// an answer at once, and a working relay right after. The Worker here is built with a route that panics;
// the relay that is run and deployed has no such route.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { before, describe, it } from "node:test";
import { Agent, Live, pairOf, refused, until, useRelay } from "./kit.mjs";

const root = resolve(import.meta.dirname, "../../..");
const build = join(resolve(root, process.env.CARGO_TARGET_DIR ?? "target"), "panicking-worker");

/** Builds the Worker that panics; a second time costs a second. */
async function xtask() {
  const child = spawn("cargo", ["xtask", "panicking-worker", "--no-opt"], {
    cwd: root,
    stdio: ["ignore", "inherit", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  const code = await new Promise((done) => child.on("exit", done));
  assert.equal(code, 0, text);
}

describe("a panic", () => {
  before(xtask, { timeout: 900_000 });
  const relay = useRelay({ build });

  const panicIn = async (client, id) => {
    const started = performance.now();
    const answer = await client.post(`/test-panic/${id}`, "");
    const took = performance.now() - started;
    refused(answer, 500, "internal");
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.ok(took < 1000, `${took} ms`);
  };

  it("in an object is answered at once, keeps no half-written rows, and ends with it", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const wire = sender.envelope(recipient);
    assert.equal((await client.deliver(recipient, wire)).status, 204);
    for (let round = 1; round <= 3; round += 1) {
      // It deletes every row, then panics.
      await panicIn(client, recipient.id);
      assert.equal((await client.pull(recipient)).envelopes.length, round);
      assert.equal((await client.deliver(recipient, sender.envelope(recipient))).status, 204);
    }
  });

  it("in the Worker is answered at once too", async () => {
    const { client } = relay;
    for (let round = 0; round < 3; round += 1) {
      await panicIn(client, "worker");
      assert.equal((await client.get("/health")).status, 200);
    }
  });

  it("hangs nobody who waits elsewhere in the process", async () => {
    const { client } = relay;
    const { recipient } = await pairOf(client);
    const path = `/pair/${randomUUID()}`;
    const waiting = Array.from({ length: 5 }, () => client.get(`${path}?wait=25`, { timeout: 35_000 }));
    // They wait when a later, short wait is over.
    refused(await client.get(`${path}?wait=0.2`), 404, "pair_not_found");
    const started = performance.now();
    await panicIn(client, recipient.id);
    for (const answer of await Promise.all(waiting)) refused(answer, 500, "internal");
    assert.ok(performance.now() - started < 2000);
    const again = client.get(`${path}?wait=20`, { timeout: 35_000 });
    refused(await client.get(`${path}?wait=0.2`), 404, "pair_not_found");
    assert.equal((await client.post(path, "a message")).status, 204);
    assert.equal((await again).text, "a message");
  });

  it("leaves the live streams of other inboxes where they were", async () => {
    // All that an object kept in memory is gone afterwards, as after hibernation: a stream goes on only if
    // its place is kept with its socket.
    const { client } = relay;
    const [one, other] = [await pairOf(client), await pairOf(client)];
    const deliver = async (count) => {
      for (let i = 0; i < count; i += 1) {
        assert.equal((await client.deliver(one.recipient, one.sender.envelope(one.recipient))).status, 204);
      }
    };
    await deliver(2);
    const live = await Live.open(client, one.recipient);
    await live.next();
    assert.deepEqual(await live.rows(2), [1, 2]);
    await panicIn(client, other.recipient.id);
    live.ack(1);
    await until(async () => (await client.pull(one.recipient)).rowids[0] === 2, "the acknowledgement is lost");
    await deliver(1);
    assert.deepEqual(await live.rows(1), [3]);
    await panicIn(client, other.recipient.id);
    await deliver(1);
    assert.deepEqual(await live.rows(1), [4]);
    await live.isSilent();
    live.ack(4);
    await until(async () => (await client.pull(one.recipient)).rowids.length === 0, "the last is not trimmed");
    await live.close();
  });

  it("cannot be asked for in the relay that is deployed", () => {
    const wasm = (directory) => readFileSync(join(directory, "bindings_bg.wasm"));
    // The text of the panic: the name of its route is compared in pieces.
    assert.ok(wasm(build).includes("asked to panic"));
    assert.ok(!wasm(join(root, "worker-relay/build")).includes("asked to panic"));
  });
});

describe("the relay without that feature", () => {
  const relay = useRelay();

  it("has no such route", async () => {
    refused(await relay.client.post(`/test-panic/${new Agent().id}`, ""), 404, "not_found");
    refused(await relay.client.post("/test-panic/worker", ""), 404, "not_found");
  });
});
