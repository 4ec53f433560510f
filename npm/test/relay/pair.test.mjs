// The pairing slot: one message, a fixed end, conditional writes, and reads that wait.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { LONG_POLL_MS, refused, sha256, useRelay } from "./kit.mjs";

const etagOf = (message) => sha256(message).slice(0, 32);
const held = { timeout: LONG_POLL_MS };

describe("a pairing slot", () => {
  const relay = useRelay();
  const session = () => `/pair/${randomUUID()}`;

  it("keeps the last message as it came", async () => {
    const { client } = relay;
    const path = session();
    refused(await client.get(path), 404, "pair_not_found");
    for (const message of ['{"phase":"pake"}', "no JSON at all: é\n", ""]) {
      const posted = await client.post(path, message);
      assert.deepEqual([posted.status, posted.text], [204, ""]);
      assert.equal(posted.headers.get("etag"), `"${etagOf(message)}"`);
      for (let i = 0; i < 2; i += 1) {
        const response = await fetch(client.url + path);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get("content-type"), "application/json");
        assert.equal(response.headers.get("etag"), `"${etagOf(message)}"`);
        assert.equal(await response.text(), message);
      }
    }
  });

  it("takes the draft's session ids, raw and encoded, and refuses others", async () => {
    const { client } = relay;
    const code = `manifest:${randomUUID()}`;
    assert.equal((await client.post(`/pair/${encodeURIComponent(code)}`, "1")).status, 204);
    assert.equal((await client.get(`/pair/${code}`)).text, "1");
    assert.equal((await client.post(`/pair/${"a".repeat(128)}`, "1")).status, 204);
    for (const bad of ["a".repeat(129), "a b", "a%20b", "%C3%A9", "a+b"]) {
      refused(await client.post(`/pair/${bad}`, "1"), 400, "invalid_session_id");
      refused(await client.get(`/pair/${bad}`), 404, "pair_not_found");
    }
  });

  it("is not overwritten when it changed meanwhile", async () => {
    const { client } = relay;
    const path = session();
    const post = (message, tag) => client.post(path, message, { headers: { "if-match": tag } });
    refused(await post("first", `"${etagOf("first")}"`), 412, "pair_slot_changed");
    refused(await client.get(path), 404, "pair_not_found");
    assert.equal((await client.post(path, "first")).status, 204);
    assert.equal((await post("second", `"${etagOf("first")}"`)).status, 204);
    refused(await post("third", `"${etagOf("first")}"`), 412, "pair_slot_changed");
    assert.equal((await post("third", etagOf("second"))).status, 204, "without quotes");
    assert.equal((await client.get(path)).text, "third");
  });

  it("wakes who waits for a session that does not exist yet", async () => {
    const { client } = relay;
    const path = session();
    const waiting = client.get(`${path}?wait=20`, held);
    const other = client.get(`${path}?wait=20&not=${etagOf("mine")}`, held);
    // A waiter is known to wait once a short one, sent after it, has come back.
    refused(await client.get(`${path}?wait=0.2`), 404, "pair_not_found");
    assert.equal((await client.post(path, "theirs")).status, 204);
    for (const answer of await Promise.all([waiting, other])) {
      assert.deepEqual([answer.status, answer.text], [200, "theirs"]);
    }
  });

  it("wakes who waits for a change, and not for what it has", async () => {
    const { client } = relay;
    const path = session();
    await client.post(path, "mine");
    const waiting = client.get(`${path}?wait=20&not=${etagOf("mine")}`, held);
    const short = await client.get(`${path}?wait=0.3&not=${etagOf("mine")}`);
    assert.deepEqual([short.status, short.text], [304, ""]);
    assert.equal(short.headers.get("etag"), `"${etagOf("mine")}"`);
    await client.post(path, "mine");
    await client.post(path, "theirs");
    assert.equal((await waiting).text, "theirs");
    assert.equal((await client.get(`${path}?wait=20&not=${etagOf("mine")}`)).text, "theirs", "at once");
    assert.equal((await client.get(`${path}?not=${etagOf("theirs")}`)).status, 304);
    assert.equal((await client.get(`${path}?wait=nonsense&not="${etagOf("theirs")}"`)).status, 304);
  });

  it("holds 32 waiters; one more displaces the oldest", async () => {
    const { client } = relay;
    const path = session();
    await client.post(path, "mine");
    const settled = [];
    const wait = (name) =>
      client.get(`${path}?wait=25&not=${etagOf("mine")}`, held).then((answer) => {
        settled.push(`${name} ${answer.status}`);
      });
    const first = wait("first");
    // The order of arrival is known only if the first has arrived.
    assert.equal((await client.get(`${path}?wait=0.2&not=${etagOf("mine")}`)).status, 304);
    const others = Array.from({ length: 32 }, () => wait("other"));
    await first;
    assert.deepEqual(settled, ["first 304"]);
    await client.post(path, "theirs");
    await Promise.all(others);
    assert.deepEqual(settled.slice(1), Array(32).fill("other 200"));
  });
});

describe("a pairing session", () => {
  const relay = useRelay({
    variables: { LIMIT_PAIR_SESSION_MS: "3000", LIMIT_TOMBSTONE_MS: "3000", LIMIT_PAIR_WAIT_MS: "6000" },
  });

  it("ends on time, wakes who waits, is lost for a while, and is then forgotten", async () => {
    const { client } = relay;
    const path = `/pair/${randomUUID()}`;
    const posted = Date.now();
    await client.post(path, "mine");
    const replaced = await client.post(path, "mine too");
    assert.equal(replaced.status, 204, "a later message does not move the end");
    const lost = await client.get(`${path}?wait=6&not=${etagOf("mine too")}`);
    refused(lost, 410, "pair_session_lost");
    const lived = Date.now() - posted;
    assert.ok(lived >= 3000 && lived < 6000, `${lived} ms`);
    refused(await client.post(path, "late"), 410, "pair_session_lost");
    refused(await client.get(path), 410, "pair_session_lost");
    const forgotten = await untilStatus(client, path, 404);
    refused(forgotten, 404, "pair_not_found");
    assert.equal((await client.post(path, "anew")).status, 204);
    assert.equal((await client.get(path)).text, "anew");
  });
});

/** Reads until the status is as expected; the relay's own timers decide when. */
async function untilStatus(client, path, status) {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await client.get(path);
    if (answer.status === status) return answer;
    assert.ok(Date.now() < deadline, `still ${answer.status}`);
  }
}
