import assert from "node:assert/strict";
import { test } from "node:test";
import { Between } from "./support/between.ts";
import { openHost, pair, received } from "./support/hosts.ts";
import { Relay } from "./support/relay.ts";

/** Members that a relay, or whoever is between, can add to an envelope, since nobody signs them; see relay/poison.test.mjs. */
const MEMBERS = [
  '"__proto__":{"constructor":"toString","hasOwnProperty":1}',
  '"rowid":99,"envelope":{"v":2},"envelopes":[],"rowids":[],"more":true,"epoch":"0","error":"internal"',
  '"x":"\\r\\n\\u2028\\u2029\\u0000\u2028\u2029"',
  '"x":"\ufeff\u202e\\ufeff\\u202e"',
  `"x":${"9".repeat(300)}`,
  `"x":${"[".repeat(63)}${"]".repeat(63)}`,
];

for (const [how, isDeaf] of [
  ["on a stream", false],
  ["by asking now and then", true],
] as const) {
  test(`envelopes that could make a reader stumble are read, and so is what comes after them: ${how}`, async (t) => {
    const [spoiler, reader] = [await Between.start(t), await Between.start(t)];
    reader.isDeaf = isDeaf;
    await Relay.start(t, spoiler, reader);
    const alice = await openHost(t, { relay: spoiler.url, label: "Alice" });
    const bob = await openHost(t, { relay: reader.url, label: "Bob" });
    const { bond } = await pair(alice, bob);
    let spoiled = 0;
    // Every other envelope that is new to the relay; a repetition has to be the same.
    const altered = new Map<string, string>();
    spoiler.alter = (line, body) => {
      if (!line.startsWith("POST /inbox/")) return body;
      const member = altered.size % 2 === 0 ? MEMBERS[(altered.size / 2) % MEMBERS.length] : undefined;
      const known = altered.get(body) ?? (member === undefined ? body : `${body.slice(0, -1)},${member}}`);
      if (!altered.has(body) && known !== body) spoiled += 1;
      altered.set(body, known);
      return known;
    };
    const bodies = Array.from({ length: 2 * MEMBERS.length }, (_, n) => `${n}`);
    for (const body of bodies) await alice.send(bond.id, body, { thread: "all" });
    assert.deepEqual(await received(bob, bodies.length), bodies);
    assert.ok(spoiled >= MEMBERS.length, `${spoiled} were spoiled`);
    const isDelivered = async () => (await alice.outbox()).length === 0 || undefined;
    await alice.until(isDelivered, "the acknowledgements", { timeoutMs: 60_000 });
  });
}
