import assert from "node:assert/strict";
import { test } from "node:test";
import { AgentPairError, type Host } from "agentpair";
import { type Answer, Between } from "./support/between.ts";
import { openHost, openTwo, pair, received } from "./support/hosts.ts";
import { approveNext } from "./support/human.ts";
import { Relay } from "./support/relay.ts";

const answer =
  (status: number, body: string, headers: { [name: string]: string } = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

const PAGE = "<!doctype html><title>Welcome</title><p>It works!";

/** How a relay can be of no use. */
const BAD: { [name: string]: Answer } = {
  "hangs up": (_, response) => response.destroy(),
  "answers with a page": answer(200, PAGE, { "content-type": "text/html" }),
  "answers with an empty object": answer(200, "{}", { "content-type": "application/json" }),
  "answers with broken JSON": answer(200, '{"blob": {', { "content-type": "application/json" }),
  "answers with bytes that are no text": (_, response) => response.end(Buffer.alloc(1_000, 0xff)),
  "knows no route": answer(404, PAGE),
  fails: answer(500, '{"error":"internal"}'),
  "redirects to elsewhere": answer(302, "", { location: "http://127.0.0.1:9/" }),
  "promises more than it sends": answer(200, "{}", { "content-length": "1000" }),
  "never stops talking": (_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    const talk = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", talk);
    };
    talk();
  },
  "demands a signature over something else": answer(401, '{"error":"challenge_required","challenge":"sign this"}'),
  "forbids everything": answer(403, '{"error":"recipient_not_allowed"}'),
  "is busy": answer(429, '{"error":"rate_limited"}', { "retry-after": "1" }),
  "calls everything taken": answer(409, '{"error":"invite_taken"}'),
};

/** An invite that cannot come about is refused by an error that blames the relay, in words. */
async function assertRefused(host: Host, timeoutMs: number): Promise<AgentPairError> {
  const error = await host.invite({ timeoutMs }).then(
    () => assert.fail("the invite was made"),
    (error) => error,
  );
  assert.ok(error instanceof AgentPairError, String(error));
  assert.equal(error.blame, "relay", `${error.code}: ${error.message}`);
  assert.ok(error.message.includes(" "), error.message);
  const pairings = await host.pairings();
  assert.deepEqual(
    pairings.filter(({ outcome, code }) => outcome === undefined || code !== undefined),
    [],
  );
  return error;
}

test("without a relay, an invite fails in words", async (t) => {
  const proxy = await Between.start(t);
  const host = await openHost(t, { relay: "http://127.0.0.1:9" });
  const error = await assertRefused(host, 1_500);
  assert.equal(error.code, "relay_unreachable");
  assert.match(error.message, /^no relay at http:\/\/127\.0\.0\.1:9 within 1\.5 s: is the address right/);
  // One that takes the request, and never answers.
  proxy.answer = () => {};
  await assert.rejects(host.invite({ relay: proxy.url, timeoutMs: 1_500 }), { code: "relay_unreachable" });
});

test("where no relay is, an invite fails in words, without a storm of requests", { concurrency: true }, async (t) => {
  const tests = Object.entries(BAD).map(([name, bad]) =>
    t.test(`a relay that ${name}`, async (t) => {
      const proxy = await Between.start(t);
      proxy.answer = bad;
      const host = await openHost(t, { relay: proxy.url });
      await assertRefused(host, 3_000);
      assert.ok(proxy.requests <= 20, `${proxy.requests} requests`);
    }),
  );
  await Promise.all(tests);
});

test("through a slow relay, pairing takes its time and succeeds", async (t) => {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  proxy.delay = 700;
  await pair(...(await openTwo(t, proxy.url)));
});

test("whatever a relay does in between, every message arrives once and in order", async (t) => {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  const { alice, bob, bond } = await pair(...(await openTwo(t, proxy.url)));
  const sent: string[] = [];
  for (const [name, bad] of Object.entries(BAD)) {
    await t.test(`a relay that ${name}`, async () => {
      proxy.answer = bad;
      proxy.hangUp();
      const before = proxy.requests;
      for (const n of [1, 2, 3]) {
        sent.push(`${name} ${n}`);
        await alice.send(bond.id, `${name} ${n}`, { thread: "all" });
      }
      const tried = async () => proxy.requests >= before + 3 || undefined;
      await alice.until(tried, "attempts", { timeoutMs: 30_000 }).catch(() => {});
      proxy.answer = undefined;
      assert.deepEqual(await received(bob, sent.length, 90_000), sent);
    });
  }
});

test("a relay that asks for patience gets it", async (t) => {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  const [alice, bob] = await openTwo(t, proxy.url);
  const at: number[] = [];
  proxy.answer = (_, response) => {
    at.push(Date.now());
    response.writeHead(429, { "retry-after": "3" }).end('{"error":"rate_limited"}');
    if (at.length === 2) proxy.answer = undefined;
  };
  const { code, pairing } = await alice.invite({ timeoutMs: 30_000 });
  assert.equal(at.length, 2);
  assert.ok((at[1] ?? 0) - (at[0] ?? 0) >= 2_990, `${(at[1] ?? 0) - (at[0] ?? 0)} ms`);
  await bob.join(code);
  await approveNext(bob, "join");
  assert.equal((await alice.bonded(pairing, { timeoutMs: 60_000 })).status, "active");
});
