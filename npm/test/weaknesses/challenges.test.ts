// A relay asks its hosts for signatures, and tries to get one over something else than the right to read its own inbox.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, describe, type TestContext, test } from "node:test";
import { AgentId, type Host } from "agentpair";
import { openHost, openTwo, pair, received } from "../support/hosts.ts";
import { Relay } from "../support/relay.ts";
import { eventsOf } from "./support/feeds.ts";
import { type Asked, HostileRelay, type Told } from "./support/hostile-relay.ts";

/** One for all tests of this file. */
const real = await Relay.start({ after });

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");
const challenged = (challenge: unknown): Told => ({ status: 401, body: JSON.stringify({ challenge }) });
const isSigned = ({ path }: Asked) => /[?&]sig=/.test(path);

/** What a host asks an inbox for. */
const ACTS: { [act: string]: (asked: Asked) => boolean } = {
  live: ({ method, path }) => method === "GET" && /^\/inbox\/[^/?]+\/live/.test(path),
  pull: ({ method, path }) => method === "GET" && /^\/inbox\/[^/?]+\?since=/.test(path),
  trim: ({ method, path }) => method === "DELETE" && /^\/inbox\/[^/?]+\?through=/.test(path),
};
const PURPOSES: { [act: string]: number } = { pull: 1, purge: 2, live: 3, trim: 4, invite: 5 };

/** A challenge in the shape of ours: nobody knows the key of its MAC, and hosts do not ask. */
function shaped(purpose: number, host: string): string {
  const origin = createHash("sha256").update(`agentpair-origin-v1\0${host}`).digest().subarray(0, 10);
  const expiry = Buffer.alloc(4);
  expiry.writeUInt32BE(Math.floor(Date.now() / 1_000) + 60);
  const bytes = [Buffer.from([0xa7, 0x50, purpose]), expiry, randomBytes(5), origin, randomBytes(10)];
  return base64url(Buffer.concat(bytes));
}

/** A bonded host, closed, and the relay that it will ask. */
async function victim(t: TestContext) {
  const relay = await HostileRelay.start(t, real.url);
  const { alice, bob, bond, back } = await pair(...(await openTwo(t, relay.url)));
  const { dataDir } = alice as Host;
  await alice.close();
  return { relay, dataDir, bob, bond, back };
}

/** How many challenges a process of the host gets: after each that it refuses, it waits for longer. */
const AT_ONCE = 2;

/** Puts one challenge after the other before a host, when it asks for one to do something. None of them is signed. */
async function assertRefused(t: TestContext, { relay, dataDir, bond }: Victim, act: string, challenges: unknown[]) {
  const isIt = (asked: Asked) => asked.path.includes(bond.own) && (ACTS[act]?.(asked) ?? false);
  for (let from = 0; from < challenges.length; from += AT_ONCE) {
    const waiting = challenges.slice(from, from + AT_ONCE);
    const before = relay.asked.filter(isIt).length;
    relay.instead = (asked) => {
      // The last one is asked for when those before have been refused.
      if (isIt(asked)) return waiting.length > 0 ? challenged(waiting.shift()) : "silence";
      if (!asked.path.includes(bond.own) || asked.method === "POST") return undefined;
      // A relay without streams is polled; and is trimmed, after there was a row.
      if (ACTS.live?.(asked)) return { status: 404, body: '{"error":"not_found"}' };
      return isSigned(asked) ? pageOf(act) : undefined;
    };
    const host = await openHost(t, { dataDir, relay: relay.url });
    // Whoever has signed one for a stream has the stream, and asks no more.
    const all = await relay.until(isIt, before + Math.min(AT_ONCE, challenges.length - from) + 1);
    assert.deepEqual(all.slice(before).filter(isSigned), [], `${act}: ${challenges.slice(from, from + AT_ONCE)}`);
    await host.close();
  }
}

type Victim = Awaited<ReturnType<typeof victim>>;

/** A page with a row, where there shall be something to trim. */
const pageOf = (act: string): Told => ({
  status: 200,
  body: JSON.stringify(
    act === "trim" ? { envelopes: [{ v: 1 }], rowids: [1], cursor: 1 } : { envelopes: [], rowids: [], cursor: 0 },
  ),
});

describe("challenges", { concurrency: 2 }, () => {
  test("W02_nothing_but_a_challenge_is_signed_as_one", async (t) => {
    const victims = await Promise.all([1, 2, 3].map(() => victim(t)));
    const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = victims;
    const { own, peer } = first.bond;
    const now = Math.floor(Date.now() / 1_000);
    const envelope = { v: 1, id: "1", from: own, to: peer, type: "core.msg", thread: "t", seq: 9, ttl: now + 3_600 };
    const bytes = randomBytes(32);
    const body = JSON.stringify({ ...envelope, payload: base64url(randomBytes(80)) });
    const allowlist = JSON.stringify({ agent_id: own, allowed: [own], version: Date.now() * 2 });
    const texts = [
      body,
      allowlist,
      // The hash of an artifact, or of a deliverable.
      bytes.toString("hex"),
      `agentpair-ratify-v1\0${bytes.toString("latin1")}`,
      `agentpair-invite-v1\0{"v":1,"agent_id":"${own}"}`,
      base64url(body),
      // 43 characters, but not one spelling of 32 bytes.
      `{"v":1}${"A".repeat(36)}`,
      `${"A".repeat(42)}B`,
      Buffer.alloc(32, 0xff).toString("base64").slice(0, 43),
      // 32 bytes, but not 43 characters.
      `${base64url(bytes)}=`,
      ` ${base64url(bytes)}`,
      // Other lengths.
      base64url(bytes.subarray(1)),
      base64url(Buffer.concat([bytes, Buffer.alloc(1)])),
      "",
      { text: base64url(bytes) },
    ];
    const middle = Math.ceil(texts.length / 2);
    await Promise.all([
      assertRefused(t, first, "live", texts.slice(0, middle)),
      assertRefused(t, second, "live", texts.slice(middle)),
      assertRefused(t, third, "pull", [body, allowlist, `${"A".repeat(42)}B`]),
    ]);

    // The owner is told, and where the relay asks as it should, it is answered: with a signature over those 43 characters.
    const { relay, dataDir, bond } = first;
    relay.instead = (asked) => (ACTS.live?.(asked) ? { status: 404, body: '{"error":"not_found"}' } : undefined);
    const alice = await openHost(t, { dataDir, relay: relay.url });
    assert.ok((await eventsOf(alice, "relay_trouble")).some(({ code }) => code === "bad_challenge"));
    const [pull = assert.fail()] = await relay.until((asked) => isSigned(asked) && ACTS.pull?.(asked) === true);
    const { searchParams } = new URL(pull.path, relay.url);
    const [challenge, sig] = ["challenge", "sig"].map((name) => searchParams.get(name) ?? "") as [string, string];
    assert.match(challenge, /^[\w-]{43}$/);
    assert.ok(AgentId.parse(bond.own).verify(Buffer.from(challenge), Buffer.from(sig, "base64url")));
  });

  test("W06_a_challenge_of_another_relay_or_for_another_act_is_not_signed", async (t) => {
    const victims = await Promise.all(Object.keys(ACTS).map(async (act) => ({ act, ...(await victim(t)) })));
    const attacks = victims.map(async ({ act, ...victim }) => {
      const { host } = new URL(victim.relay.url);
      // What a relay that knows its name issues for this very inbox, asked for by the hostile one.
      const issued = async (method: string, path: string): Promise<string> => {
        const answer = await fetch(`${real.url}/inbox/${victim.bond.own}${path}`, { method });
        assert.equal(answer.status, 401);
        return ((await answer.json()) as { challenge: string }).challenge;
      };
      const others = Object.keys(PURPOSES).filter((purpose) => purpose !== act);
      await assertRefused(t, victim, act, [
        await issued("DELETE", `/purge?sender=${victim.bond.peer}`),
        await issued(act === "trim" ? "DELETE" : "GET", { live: "/live", pull: "", trim: "?through=9" }[act] ?? ""),
        ...others.map((purpose) => shaped(PURPOSES[purpose] ?? 0, host)),
        ...[`${host}.example`, host.replace("127.0.0.1", "localhost")].map((host) => shaped(PURPOSES[act] ?? 0, host)),
      ]);
    });
    await Promise.all(attacks);
    // Its own, for what was asked for, is signed.
    const [{ relay, dataDir, bob, back } = assert.fail()] = victims;
    const { host } = new URL(relay.url);
    relay.instead = (asked) => {
      const act = Object.keys(ACTS).find((act) => !isSigned(asked) && ACTS[act]?.(asked));
      return act === undefined ? undefined : challenged(shaped(PURPOSES[act] ?? 0, host));
    };
    const alice = await openHost(t, { dataDir, relay: relay.url });
    await bob.send(back.id, "still here");
    assert.deepEqual(await received(alice, 1), ["still here"]);
  });
});
