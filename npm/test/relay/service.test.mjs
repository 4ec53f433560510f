// What every answer has, what browsers need, brakes, configuration, and what strangers leave behind.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { databases, tablesOf } from "./disk.mjs";
import { Agent, pairOf, refused, sha256, until, useRelay } from "./kit.mjs";

describe("the service", () => {
  const relay = useRelay();

  it("says what it can do beyond the draft", async () => {
    const { status, json } = await relay.client.get("/health");
    assert.equal(status, 200);
    assert.deepEqual(json, {
      status: "ok",
      spec_version: "1.0-draft",
      relay_conformance: "agentpair-relay/1",
      extensions: [
        "allowlist-version",
        "challenge-v1",
        "epoch",
        "invite",
        "live",
        "pair-wait",
        "pair-if-match",
        "pull-page",
        "trim",
      ],
    });
    assert.equal((await relay.client.send("HEAD", "/health")).status, 200);
  });

  it("knows its routes and their methods", async () => {
    const { client } = relay;
    const id = new Agent().id;
    for (const path of ["/", "/healthz", "/inbox", `/inbox/${id}/x`, "/card/x", "/inbox/%zz", "/pair/"]) {
      refused(await client.get(path), 404, "not_found");
    }
    for (const [method, path] of [
      ["POST", "/health"],
      ["GET", `/allowlist/${id}`],
      ["PATCH", `/inbox/${id}`],
      ["GET", `/inbox/${id}/purge`],
      ["POST", `/inbox/${id}/live`],
      ["DELETE", "/pair/x"],
      ["POST", "/invite/x"],
      ["GET", "/invite/x/claim"],
      ["POST", `/artifact/${"0".repeat(64)}`],
    ]) {
      refused(await client.send(method, path), 405, "method_not_allowed");
    }
    // `fetch` knows some methods only; the relay sees any.
    assert.equal((await rawRequest(relay.port, "PROPFIND /health HTTP/1.1")).split(" ")[1], "405");
  });

  it("tells the time, allows every origin and lets nothing be cached, whatever it answers", async () => {
    const { client } = relay;
    const { recipient } = await pairOf(client);
    const signed = await client.signed(recipient, "GET", `/inbox/${recipient.id}`);
    for (const [status, answer] of [
      [200, await client.get("/health")],
      [200, await client.get(signed)],
      [204, await client.post(`/pair/${randomUUID()}`, "x")],
      [401, await client.get(`/inbox/${recipient.id}`)],
      [403, await client.get(signed)],
      [404, await client.get("/nowhere")],
      [413, await client.post(`/pair/${randomUUID()}`, "x".repeat(20_000))],
    ]) {
      assert.equal(answer.status, status);
      const date = Date.parse(answer.headers.get("date"));
      assert.ok(Math.abs(date - Date.now()) < 5_000, answer.headers.get("date"));
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      assert.equal(
        answer.headers.get("access-control-expose-headers"),
        "ETag, Retry-After, Date, x-agentpair-challenge",
      );
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.equal(answer.headers.get("x-object-code"), null);
    }
  });

  it("answers a browser's preflight on every route", async () => {
    const id = new Agent().id;
    for (const path of [
      `/inbox/${id}`,
      `/allowlist/${id}`,
      "/pair/x",
      "/invite/x/claim",
      `/artifact/${"0".repeat(64)}`,
    ]) {
      const headers = {
        origin: "https://page.example",
        "access-control-request-method": "PUT",
        "access-control-request-headers": "x-agent-id",
      };
      const answer = await relay.client.send("OPTIONS", path, { headers });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      assert.equal(answer.headers.get("access-control-allow-methods"), "GET, POST, PUT, DELETE");
      assert.equal(
        answer.headers.get("access-control-allow-headers"),
        "authorization, content-type, if-match, x-agent-id, x-artifact-sig",
      );
      assert.equal(answer.headers.get("access-control-max-age"), "86400");
    }
  });

  it("logs the kind of a request and how it went, and nothing that names anyone", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const session = randomUUID();
    const from = relay.log.length;
    await client.deliver(recipient, sender.envelope(recipient));
    await client.pull(recipient);
    await client.post(`/pair/${session}`, "a message");
    refused(await client.put(`/allowlist/${sender.id}`, recipient.allowlist([])), 403, "invalid_signature");
    await until(() => relay.log.length >= from + 5, "no log lines");
    const lines = relay.log.slice(from).map(({ message }) => JSON.parse(message));
    for (const line of lines) {
      assert.ok(line.ms >= 0);
      delete line.ms;
    }
    assert.deepEqual(lines, [
      { route: "inbox", method: "POST", status: 204, size: "1K" },
      { route: "inbox", method: "GET", status: 401, size: "0" },
      { route: "inbox", method: "GET", status: 200, size: "0" },
      { route: "pair", method: "POST", status: 204, size: "1K" },
      { route: "allowlist", method: "PUT", status: 403, code: "invalid_signature", size: "1K" },
    ]);
    const text = relay.log.map(({ message }) => message).join("\n");
    for (const secret of [sender.id.slice(8), recipient.id.slice(8), session, "a message"]) {
      assert.ok(!text.includes(secret));
    }
  });
});

describe("strangers", () => {
  const relay = useRelay();

  /** The tables of all objects. */
  const tables = () => databases(relay.data).flatMap(tablesOf);

  it("cannot make an object store anything", async () => {
    const { client } = relay;
    const [stranger, nobody] = [new Agent(), new Agent()];
    refused(await client.deliver(nobody, stranger.envelope(nobody)), 403, "recipient_not_allowed");
    await client.pull(nobody);
    await client.trim(nobody, 1);
    await client.purge(nobody, stranger);
    refused(await client.get("/pair/nothing"), 404, "pair_not_found");
    refused(await client.get("/pair/nothing?wait=0.1"), 404, "pair_not_found");
    refused(await client.post("/pair/nothing", "x", { headers: { "if-match": "x" } }), 412, "pair_slot_changed");
    refused(await client.post("/invite/w1/claim", '{"claim_id":"AAAAAAAAAAAAAAAAAAAAAA"}'), 404, "invite_not_found");
    refused(await client.get(await client.signed(stranger, "GET", "/invite/w1")), 403, "challenge_invalid");
    const hash = "0".repeat(64);
    const headers = { "x-agent-id": stranger.id, "x-artifact-sig": stranger.sign(hash) };
    refused(await client.put(`/artifact/${hash}`, "x", { headers }), 403, "agent_not_registered");
    assert.deepEqual(tables(), []);
    // The check can fail: an owner does store something.
    await client.allow(nobody, []);
    assert.ok(tables().includes("envelopes"));
  });
});

describe("brakes", () => {
  const simple = { limit: 3, period: 10 };
  const relay = useRelay({
    variables: { RATE_LIMIT_PERIOD_S: "10" },
    brakes: {
      LIMITER_CHALLENGE: simple,
      LIMITER_PAIR: simple,
      LIMITER_PUBLISH: simple,
      LIMITER_CLAIM: simple,
      LIMITER_REGISTER: simple,
      LIMITER_STRANGER: simple,
      LIMITER_WAIT: simple,
    },
  });

  it("stop what anyone may do, each by itself, by address", async () => {
    const { client } = relay;
    const [a, b] = [new Agent(), new Agent()];
    // As the platform tells it; a local relay takes the client's word.
    const from = (address) => ({ headers: { "cf-connecting-ip": address } });
    const acts = {
      challenge: (ip) => client.get(`/inbox/${a.id}`, from(ip)),
      pair: (ip) => client.post("/pair/x", "x", from(ip)),
      publish: (ip) => client.put("/invite/x", "{", from(ip)),
      claim: (ip) => client.post("/invite/x/claim", "{", from(ip)),
      register: (ip) => client.put(`/allowlist/${a.id}`, "{", from(ip)),
      stranger: (ip) => client.post(`/inbox/${b.id}`, a.envelope(b), from(ip)),
      wait: (ip) => client.get("/pair/y?wait=0.01", from(ip)),
    };
    for (const [name, act] of Object.entries(acts)) {
      // The local brakes count anew at each full ten seconds: not in the middle of this.
      await until(() => Date.now() % 10_000 < 6_000, "the clock stands");
      const free = [];
      for (let i = 0; i < 3; i += 1) free.push((await act("192.0.2.1")).status);
      assert.ok(!free.includes(429), `${name}: ${free}`);
      const stopped = await act("192.0.2.1");
      refused(stopped, 429, "rate_limit_exceeded");
      assert.equal(stopped.headers.get("retry-after"), "10");
      assert.notEqual((await act("192.0.2.2")).status, 429, "another address is free");
      // One IPv6 customer is one address, however many it has.
      for (let i = 1; i <= 3; i += 1) assert.notEqual((await act(`2001:db8::${i}`)).status, 429);
      assert.equal((await act("2001:db8::4")).status, 429);
      assert.notEqual((await act("2001:db8:0:1::1")).status, 429);
    }
    // What needs no brake has none.
    for (let i = 0; i < 10; i += 1) {
      assert.equal((await client.get("/health", from("192.0.2.1"))).status, 200);
      assert.notEqual((await client.get("/pair/x", from("192.0.2.1"))).status, 429);
    }
  });
});

describe("a relay without its key", () => {
  const relay = useRelay({ variables: { CHALLENGE_KEY: "too short" } });

  it("says so where it needs it, and works elsewhere", async () => {
    const { client } = relay;
    assert.equal((await client.get("/health")).status, 200);
    refused(await client.get(`/inbox/${new Agent().id}`), 500, "relay_misconfigured");
    refused(await client.get(`/inbox/${new Agent().id}?challenge=x&sig=y`), 500, "relay_misconfigured");
    await client.allow(new Agent(), []);
  });
});

describe("a relay with a variable that is no number", () => {
  const relay = useRelay({ variables: { LIMIT_INBOX_ROWS: "many" } });

  it("answers nothing, and names the variable in its log", async () => {
    refused(await relay.client.get("/health"), 500, "relay_misconfigured");
    assert.ok(relay.log.some(({ message }) => message.includes("LIMIT_INBOX_ROWS")));
  });
});

describe("a relay behind a proxy", () => {
  const relay = useRelay({ variables: { RELAY_HOSTS: "relay.example, relay.example:8443" } });

  it("names itself in challenges by what it was told, not by what a stranger sends", async () => {
    const origin = async (host) => {
      const text = await rawRequest(relay.port, `GET /inbox/${new Agent().id} HTTP/1.1`, host);
      const challenge = Buffer.from(/"challenge":"([^"]+)"/.exec(text)[1], "base64url");
      return challenge.subarray(12, 22).toString("hex");
    };
    const named = (host) => sha256(`agentpair-origin-v1\x00${host}`).slice(0, 20);
    assert.equal(await origin("relay.example:8443"), named("relay.example:8443"));
    assert.equal(await origin("relay.example"), named("relay.example"));
    assert.equal(await origin("evil.example"), named("relay.example"));
  });
});

/** One request with a method or a host that `fetch` would not send. */
function rawRequest(port, line, host = "localhost") {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    let text = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error("no answer")));
    socket.on("data", (data) => {
      text += data;
      // The relay leaves the connection open for a while.
      const [head, body] = text.split("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(head);
      if (length !== null && body?.length >= Number(length[1])) {
        socket.destroy();
        resolve(text);
      }
    });
    socket.on("error", reject);
  });
}
