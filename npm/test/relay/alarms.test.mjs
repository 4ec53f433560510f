// What has expired leaves the disk by itself: nobody has to ask for it, and a server that was killed meanwhile does it
// when it is back.

import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { beginUpload, ownerOf, upload } from "./artifacts.mjs";
import { artifactsOf, databases, rowsOf, tablesOf } from "./disk.mjs";
import { claim, claimId, Inviter } from "./invites.mjs";
import { nowSeconds, pairOf, until, useRelay } from "./kit.mjs";
import { crash, isLinux } from "./processes.mjs";

const SHORT = {
  LIMIT_ENVELOPE_LIFE_MS: "6000",
  LIMIT_CHALLENGE_MS: "6000",
  LIMIT_PAIR_SESSION_MS: "6000",
  LIMIT_INVITE_MS: "6000",
  LIMIT_TOMBSTONE_MS: "2000",
  LIMIT_ARTIFACT_UPLOAD_MS: "6000",
  ARTIFACT_RETENTION_MS: "6000",
  LIMIT_SWEEP_GRAIN_MS: "100",
};

/** The tables of an inbox whose rows come to an end. */
const PASSING = ["envelopes", "trimmed", "used", "artifacts", "uploads"];

/** One of everything that comes to an end: each is on the disk as soon as the relay has said so. */
async function fill({ client, port, data }) {
  const has = (table, count) => assert.equal(rowsOf(data, table).length, count, table);
  const { sender, recipient } = await pairOf(client);
  for (const seq of [1, 2]) {
    assert.equal((await client.deliver(recipient, sender.envelope(recipient, { seq }))).status, 204);
    has("envelopes", seq);
  }
  assert.equal((await client.trim(recipient, 1)).json.trimmed, 1);
  for (const table of ["envelopes", "trimmed", "used"]) has(table, 1);

  const bytes = randomBytes(1_000);
  const isInBucket = () => artifactsOf(data).some((file) => readFileSync(file).equals(bytes));
  assert.equal((await upload(client, await ownerOf(client), bytes)).status, 204);
  has("artifacts", 1);
  assert.ok(isInBucket());
  const socket = await beginUpload(port, recipient, randomBytes(1_000));
  await until(() => rowsOf(data, "uploads").length === 1, "the upload does not begin");

  const slots = () => rowsOf(data, "slot").map(({ message }) => Buffer.from(message).toString());
  await client.post(`/pair/${randomUUID()}`, "a message");
  assert.deepEqual(slots(), ["a message"]);
  const inviter = await new Inviter().publish(client);
  const [invite] = rowsOf(data, "invite");
  assert.ok(invite.pake.length > 0 && invite.signed.length > 0);
  assert.equal((await claim(client, inviter.path, claimId())).status, 200);
  assert.ok(slots().includes(inviter.members.pake));
  return { sender, recipient, isInBucket, slots, socket };
}

describe("what has expired", { concurrency: true }, () => {
  for (const [name, isKilled] of [
    ["by itself", false],
    ["by itself, when the server that knew of it was killed", true],
  ]) {
    describe("leaves the disk", { skip: isKilled && !isLinux }, () => {
      const relay = useRelay({ variables: SHORT });

      it(name, async () => {
        const { data } = relay;
        const { sender, recipient, isInBucket, slots, socket } = await fill(relay);
        const count = (table) => rowsOf(data, table).length;
        if (isKilled) await crash(relay);

        // From here on nobody asks for anything. What was said goes first, the memory of it later.
        await until(() => slots().every((text) => text === ""), "the messages of the sessions stay");
        await until(
          () => rowsOf(data, "invite").every(({ signed }) => signed === null),
          "the text of the invite stays",
        );
        for (const table of PASSING) await until(() => count(table) === 0, `rows stay in ${table}`);
        await until(() => !isInBucket(), "the artifact stays");
        const tables = () => databases(data).flatMap(tablesOf);
        await until(() => !tables().includes("slot") && !tables().includes("invite"), "the tombstones stay");
        assert.equal(count("inbox"), 2, "the inboxes themselves stay");

        // Row ids go on.
        const ttl = nowSeconds() + 60;
        const wire = sender.envelope(recipient, { seq: 3, body: { ttl } });
        assert.equal((await relay.client.deliver(recipient, wire)).status, 204);
        assert.deepEqual((await relay.client.pull(recipient)).rowids, [3]);
        socket.destroy();
      });
    });
  }
});
