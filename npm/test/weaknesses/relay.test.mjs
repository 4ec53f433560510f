// The relay's own limits against whoever wants to fill or block it: W42, W43 and W50 of docs/weaknesses.md.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { Agent, nowSeconds, refused, until, useRelay } from "../relay/kit.mjs";
import { openTwo, pair, received } from "../support/hosts.ts";

/** What the inboxes of a relay hold on disk. */
function rowsOf(relay) {
  const folder = join(relay.data, "objects");
  const files = readdirSync(folder, { recursive: true }).filter(
    (file) => file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite"),
  );
  let inboxes = 0;
  let rows = 0;
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    try {
      const isInbox = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'envelopes'").get() !== undefined;
      if (!isInbox) continue;
      inboxes += 1;
      rows += database.prepare("SELECT count(*) AS n FROM envelopes").get().n;
    } finally {
      database.close();
    }
  }
  return { inboxes, rows };
}

describe("an inbox that a sender wants to fill for ever", () => {
  const relay = useRelay({
    variables: {
      LIMIT_ENVELOPE_LIFE_MS: "3000",
      LIMIT_SWEEP_GRAIN_MS: "100",
      LIMIT_SENDER_ROWS: "4",
      LIMIT_INBOX_ROWS: "6",
      LIMIT_PULL_ROWS: "3",
    },
  });

  it("W42_ttl_rows_and_pages_are_bounded: nothing lives for ever, nothing dead is taken, no page holds all", async () => {
    const { client } = relay;
    const recipient = new Agent();
    const [loud, quiet] = [new Agent(), new Agent()];
    await client.allow(recipient, [loud, quiet]);
    const deliver = (sender, ttl, seq = 1) =>
      client.deliver(recipient, sender.envelope(recipient, { seq, body: { ttl } }));
    for (const ttl of [nowSeconds(), nowSeconds() - 1, 0, -1, -(2 ** 53 - 1)]) {
      refused(await deliver(loud, ttl), 400, "envelope_expired");
    }
    for (const ttl of [2 ** 53, 1e300]) refused(await deliver(loud, ttl), 400, "invalid_json");
    assert.equal(rowsOf(relay).rows, 0);

    const forever = [Number.MAX_SAFE_INTEGER, nowSeconds() * 1000, 2 ** 40, nowSeconds() + 10 ** 9];
    for (const [n, ttl] of forever.entries()) assert.equal((await deliver(loud, ttl, n + 1)).status, 204);
    const full = await deliver(loud, Number.MAX_SAFE_INTEGER, 5);
    refused(full, 429, "inbox_full");
    assert.ok(Number(full.headers.get("retry-after")) > 0);
    // The other sender has room all the same, until the inbox has none.
    for (const seq of [1, 2]) assert.equal((await deliver(quiet, 2 ** 40, seq)).status, 204);
    refused(await deliver(quiet, 2 ** 40, 3), 429, "inbox_full");
    const page = await client.pull(recipient);
    assert.deepEqual([page.envelopes.length, page.more], [3, true]);
    assert.equal(rowsOf(relay).rows, 6);

    await until(async () => (await client.pull(recipient)).rowids.length === 0, "it lives for ever");
    await until(() => rowsOf(relay).rows === 0, "it stays on disk");
    assert.equal((await deliver(loud, 2 ** 40, 6)).status, 204);
  });
});

describe("a relay with brakes", () => {
  const limit = 12;
  const simple = { limit, period: 10 };
  const relay = useRelay({
    variables: { RATE_LIMIT_PERIOD_S: "10" },
    brakes: Object.fromEntries(
      ["CHALLENGE", "PAIR", "PUBLISH", "CLAIM", "REGISTER", "STRANGER", "WAIT"].map((name) => [
        `LIMITER_${name}`,
        simple,
      ]),
    ),
  });
  const from = (address) => ({ headers: { "cf-connecting-ip": address } });

  /** Presses a brake until it holds: a period may begin meanwhile. */
  const press = async (act) => {
    let answer = await act();
    for (let n = 0; n < 3 * limit && answer.status !== 429; n += 1) answer = await act();
    refused(answer, 429, "rate_limit_exceeded");
    assert.equal(answer.headers.get("retry-after"), "10");
  };

  it("W43_what_anyone_may_write_is_braked_and_capped: fresh keys and large bodies store little", async () => {
    const { client } = relay;
    // Keys cost nothing: each of them would make an inbox.
    const answers = [];
    for (let n = 0; n < 4 * limit; n += 1) {
      const fresh = new Agent();
      answers.push(await client.put(`/allowlist/${fresh.id}`, fresh.allowlist([]), from("192.0.2.7")));
    }
    // A period may begin meanwhile.
    const taken = answers.filter(({ status }) => status === 204).length;
    assert.ok(taken >= limit && taken <= 2 * limit, `${taken} were taken`);
    for (const answer of answers.filter(({ status }) => status !== 204)) {
      refused(answer, 429, "rate_limit_exceeded");
      assert.equal(answer.headers.get("retry-after"), "10");
    }
    assert.equal(rowsOf(relay).inboxes, taken);

    // Bodies, said to be large or not, to whoever takes them from strangers.
    const owner = new Agent();
    for (const [method, path, cap, code] of [
      ["PUT", `/allowlist/${owner.id}`, 131_072, "payload_too_large"],
      ["POST", `/inbox/${owner.id}`, 131_072, "envelope_too_large"],
      ["POST", "/pair/large", 16_384, "payload_too_large"],
      ["PUT", "/invite/large", 8_192, "payload_too_large"],
      ["POST", "/invite/large/claim", 1_024, "payload_too_large"],
    ]) {
      refused(await client.send(method, path, { body: Buffer.alloc(cap + 1, 0x20), ...from("192.0.2.8") }), 413, code);
      // A body without a length: the server may hang up in its middle, before its answer is read.
      const body = new Blob([Buffer.alloc(2 * cap, 0x20)]).stream();
      const answer = await client.send(method, path, { body, ...from("192.0.2.8") }).catch((error) => {
        assert.match(String(error.cause?.code), /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/);
      });
      if (answer) refused(answer, 413, code);
    }
    // What may be read without a brake makes nothing, however often.
    const hash = "0".repeat(64);
    for (let n = 0; n < 20; n += 1) {
      refused(await client.get(`/pair/none-${n}`, from("192.0.2.9")), 404, "pair_not_found");
      refused(await client.get(`/artifact/${hash}`, from("192.0.2.9")), 404, "artifact_not_found");
    }
    assert.equal(rowsOf(relay).inboxes, taken);
    await press(() => client.get("/pair/none?wait=0.01", from("192.0.2.9")));
  });

  it("W50_a_neighbour_behind_the_same_address_blocks_nothing_authorised: others are told when to come again", async (t) => {
    const { client } = relay;
    // Hosts send no such header: to a local relay all of them have the address "".
    const [alice, bob] = await openTwo(t, relay.url);
    const { bond } = await pair(alice, bob);
    await alice.send(bond.id, "before", { thread: "t" });
    await received(bob, 1);
    // A neighbour presses every brake, and goes on.
    const [noisy, other] = [new Agent(), new Agent()];
    const acts = [
      () => client.get(`/inbox/${noisy.id}`),
      () => client.post("/pair/x", "x"),
      () => client.put("/invite/x", "{"),
      () => client.post("/invite/x/claim", "{"),
      () => client.put(`/allowlist/${noisy.id}`, "{"),
      () => client.post(`/inbox/${other.id}`, noisy.envelope(other)),
      () => client.get("/pair/y?wait=0.01"),
    ];
    for (const act of acts) await press(act);
    let isNoisy = true;
    const noise = (async () => {
      while (isNoisy) for (const act of acts) await press(act);
    })();
    // Those who know each other go on, in both directions, at once.
    const begun = Date.now();
    const back = (await bob.bonds())[0];
    for (let n = 0; n < 10; n += 1) await alice.send(bond.id, `during ${n}`, { thread: "t" });
    await bob.send(back.id, "back", { thread: "t" });
    assert.equal((await received(bob, 11)).length, 11);
    assert.deepEqual(await received(alice, 1), ["back"]);
    assert.ok(Date.now() - begun < 9_000, "they had to wait for the brakes");
    isNoisy = false;
    await noise;
    // Who needs a braked act gets it as soon as the relay said, without a human's help.
    const { pairing } = await alice.invite({ timeoutMs: 45_000 });
    await alice.cancel(pairing);
  });
});
