// Artifacts: whose they are, that the hash is theirs, and how much and how long.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { breakOff, headersOf, ownerOf, upload } from "./artifacts.mjs";
import { Agent, base64url, refused, sha256, until, useRelay } from "./kit.mjs";

const MIB = 1024 * 1024;

async function download(client, hash) {
  const response = await fetch(`${client.url}/artifact/${hash}`);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe("artifacts", () => {
  const relay = useRelay();

  it("come back as they went, to anyone who knows the hash", async () => {
    const { client } = relay;
    const owner = await ownerOf(client);
    for (const size of [0, 1, 40, 100_000]) {
      const bytes = randomBytes(size);
      const answer = await upload(client, owner, bytes);
      assert.deepEqual([answer.status, answer.text], [204, ""], `${size} bytes`);
      const { response, bytes: back } = await download(client, sha256(bytes));
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "application/octet-stream");
      assert.equal(response.headers.get("content-length"), String(size));
      assert.ok(back.equals(bytes));
    }
  });

  it("are not there under other names", async () => {
    const { client } = relay;
    for (const hash of [sha256("nothing"), "0", "x".repeat(64), sha256("nothing").toUpperCase()]) {
      refused(await client.get(`/artifact/${hash}`), 404, "artifact_not_found");
    }
  });

  it("are refused in the draft's order, and say nothing of who is registered", async () => {
    const { client } = relay;
    const [owner, stranger] = [await ownerOf(client), new Agent()];
    const bytes = randomBytes(100);
    const hash = sha256(bytes);
    const put = (headers, body = bytes, name = hash) => client.put(`/artifact/${name}`, body, { headers });
    const good = headersOf(owner, hash);
    const forged = base64url(Buffer.alloc(64));
    refused(await put({}), 401, "auth_required");
    refused(await put({ "x-agent-id": owner.id }), 401, "auth_required");
    refused(await put({ "x-artifact-sig": good["x-artifact-sig"] }), 401, "auth_required");
    for (const agent of [owner, stranger]) {
      refused(await put({ "x-agent-id": agent.id, "x-artifact-sig": forged }), 403, "invalid_signature");
      refused(await put({ ...headersOf(agent, hash), "x-agent-id": `${agent.id}==` }), 403, "invalid_signature");
    }
    refused(await put({ ...good, "x-artifact-sig": `${good["x-artifact-sig"]}=` }), 403, "invalid_signature");
    refused(await put(headersOf(stranger, hash)), 403, "agent_not_registered");
    refused(await put(good, randomBytes(100)), 400, "hash_mismatch");
    refused(await client.get(`/artifact/${hash}`), 404, "artifact_not_found");
    for (const name of ["abc", hash.toUpperCase()]) {
      refused(await put(headersOf(owner, name), bytes, name), 400, "hash_mismatch");
    }
    refused(await put(good, new Blob([bytes]).stream()), 411, "length_required");
    assert.equal((await put(good)).status, 204);
  });

  it("are refused with an answer, not with a broken pipe, however large", async () => {
    const { client } = relay;
    const [owner, stranger] = [await ownerOf(client), new Agent()];
    const bytes = Buffer.alloc(10 * MIB, 7);
    const path = `/artifact/${sha256(bytes)}`;
    for (let i = 0; i < 3; i += 1) {
      refused(await client.put(path, bytes), 401, "auth_required");
      refused(await upload(client, stranger, bytes), 403, "agent_not_registered");
      refused(await upload(client, owner, bytes, "x"), 400, "hash_mismatch");
      refused(await upload(client, owner, Buffer.alloc(20 * MIB)), 413, "payload_too_large");
      refused(await client.post(`/inbox/${owner.id}`, bytes), 413, "envelope_too_large");
      refused(await client.put("/nowhere", bytes), 404, "not_found");
    }
  });
});

describe("the artifacts of one owner", () => {
  const relay = useRelay({ variables: { ARTIFACT_QUOTA_BYTES: "1000" } });

  it("have a quota, told in the health answer", async () => {
    const { client } = relay;
    assert.equal((await client.get("/health")).json.artifact_quota_bytes, 1000);
    assert.equal((await client.get("/health")).json.artifact_retention_ms, undefined);
    const owner = await ownerOf(client);
    const first = randomBytes(600);
    assert.equal((await upload(client, owner, first)).status, 204);
    refused(await upload(client, owner, randomBytes(401)), 413, "quota_exceeded");
    assert.equal((await upload(client, owner, first)).status, 204, "again: it counts once");
    // A failed upload gives its room back.
    for (let i = 0; i < 3; i += 1) {
      refused(await upload(client, owner, randomBytes(400), sha256("other bytes")), 400, "hash_mismatch");
    }
    assert.equal((await upload(client, owner, randomBytes(400))).status, 204);
    refused(await upload(client, owner, randomBytes(1)), 413, "quota_exceeded");
    // Another owner has a quota of its own, also for the same bytes.
    const other = await ownerOf(client);
    assert.equal((await upload(client, other, first)).status, 204);
    refused(await upload(client, other, randomBytes(401)), 413, "quota_exceeded");
  });

  it("have it also when they are put at once", async () => {
    const { client } = relay;
    const owner = await ownerOf(client);
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload(client, owner, randomBytes(300))));
    assert.equal(answers.filter(({ status }) => status === 204).length, 3);
    assert.equal(answers.filter(({ status }) => status === 413).length, 7);
  });
});

describe("an upload that breaks off", () => {
  const relay = useRelay({
    variables: {
      ARTIFACT_QUOTA_BYTES: "1000",
      LIMIT_ARTIFACT_UPLOAD_MS: "2000",
      LIMIT_SWEEP_GRAIN_MS: "200",
    },
  });

  it("can be repeated at once, and takes room only for a while", async () => {
    const { client } = relay;
    const owner = await ownerOf(client);
    const bytes = randomBytes(700);
    for (let i = 0; i < 3; i += 1) await breakOff(relay.port, owner, bytes);
    assert.equal((await upload(client, owner, bytes)).status, 204);
    const other = await ownerOf(client);
    for (let i = 0; i < 3; i += 1) await breakOff(relay.port, other, randomBytes(300));
    const large = randomBytes(1000);
    await until(async () => (await upload(client, other, large)).status === 204, "its room is not free");
  });
});

describe("an artifact's life", () => {
  const relay = useRelay({
    variables: { ARTIFACT_QUOTA_BYTES: "1000", ARTIFACT_RETENTION_MS: "4000", LIMIT_SWEEP_GRAIN_MS: "200" },
  });

  it("W49_an_artifact_lives_anew_with_each_put: is renewed by a new PUT; then it is gone, and its room is free", async () => {
    const { client } = relay;
    const owner = await ownerOf(client);
    const bytes = randomBytes(800);
    const hash = sha256(bytes);
    const status = async () => (await client.get(`/artifact/${hash}`)).status;
    assert.equal((await upload(client, owner, bytes)).status, 204);
    const born = Date.now();
    await until(() => Date.now() - born > 2500, "the clock stands");
    assert.equal((await upload(client, owner, bytes)).status, 204);
    const renewed = Date.now();
    while (Date.now() - renewed < 2000) assert.equal(await status(), 200);
    assert.ok(Date.now() - born > 4000, "it outlived its first term");
    await until(async () => (await status()) === 404, "it does not expire");
    // It is swept a moment after it is gone.
    const other = randomBytes(800);
    await until(async () => (await upload(client, owner, other)).status === 204, "its room is not free");
  });

  it("is not cut short by another owner of the same bytes", async () => {
    const { client } = relay;
    const [first, second] = [await ownerOf(client), await ownerOf(client)];
    const bytes = randomBytes(800);
    const path = `/artifact/${sha256(bytes)}`;
    assert.equal((await upload(client, first, bytes)).status, 204);
    const born = Date.now();
    await until(() => Date.now() - born > 2500, "the clock stands");
    assert.equal((await upload(client, second, bytes)).status, 204);
    // The first owner's term ends, and is swept, while the second's runs.
    await until(
      async () => (await upload(client, first, randomBytes(801))).status === 204,
      "the first owner's room is not free",
    );
    assert.ok(Date.now() - born < 6500, "too slow to tell");
    assert.equal((await client.get(path)).status, 200);
  });
});
