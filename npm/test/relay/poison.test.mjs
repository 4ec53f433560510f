// Envelopes that could make a reader stumble. Whatever the relay takes, it hands out so that each is read, and what
// comes after it as well; whatever it refuses, it refuses at the door.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { ask, databases, tablesOf } from "./disk.mjs";
import { Live, pairOf, refused, until, useRelay } from "./kit.mjs";

/** Members that nobody signed: the draft lets an envelope have any. As JSON texts, or bytes that only seem to be. */
const MEMBERS = {
  "a member of every object": '"__proto__":{"constructor":"toString","hasOwnProperty":1}',
  "a name of the frame around it": '"rowid":99,"envelope":{"v":2},"envelopes":[],"more":true,"error":"internal"',
  "line ends, separators, a zero": '"x":"\\r\\n\\u2028\\u2029\\u0000\u2028\u2029"',
  "a byte order mark, text against the direction": '"x":"\ufeff\u202e\\ufeff\\u202e"',
  "half a character": '"x":"\\ud800"',
  "half a character as a name": '"\\udc00":1',
  "a number beyond all": '"x":1e999',
  "a number of 300 digits": `"x":${"9".repeat(300)}`,
  "no number": '"x":NaN',
  "sixty-three levels": `"x":${"[".repeat(63)}${"]".repeat(63)}`,
  "sixty-four levels": `"x":${"[".repeat(64)}${"]".repeat(64)}`,
  "a thousand levels": `"x":${"[".repeat(1_000)}${"]".repeat(1_000)}`,
  "the same name twice": '"x":1,"x":2',
  "a signed name twice": '"to":"ed25519:x"',
  "bytes that are no text": Buffer.from([0x22, 0x78, 0x22, 0x3a, 0x22, 0xff, 0xc0, 0x80, 0x22]),
  "half a character in bytes": Buffer.from([0x22, 0x78, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22]),
  "a member without an end": '"x":"',
  "one bracket too many": '"x":1}],"y":[{"z":1',
  "nothing, with a comma": "",
};

/** Those of them that are JSON, and within the bounds. */
const HARMLESS = [
  "a member of every object",
  "a name of the frame around it",
  "line ends, separators, a zero",
  "a byte order mark, text against the direction",
  "a number of 300 digits",
  "sixty-three levels",
];

/** The envelope with more members at its end. */
function withMember(wire, member) {
  return Buffer.concat([Buffer.from(`${wire.slice(0, -1)},`), Buffer.from(member), Buffer.from("}")]);
}

describe("an envelope that could make a reader stumble", () => {
  const relay = useRelay();

  it("is refused, or is read as it came, and so is what comes after it", async () => {
    const { client } = relay;
    const { sender, recipient } = await pairOf(client);
    const stored = [];
    for (const [name, member] of Object.entries(MEMBERS)) {
      const poison = withMember(sender.envelope(recipient), member);
      const answer = await client.deliver(recipient, poison);
      if (HARMLESS.includes(name)) {
        assert.equal(answer.status, 204, name);
        stored.push(poison);
      } else refused(answer, 400, "invalid_json");
      const next = sender.envelope(recipient);
      assert.equal((await client.deliver(recipient, next)).status, 204);
      stored.push(Buffer.from(next));
    }
    const path = await client.signed(recipient, "GET", `/inbox/${recipient.id}?since=0`);
    const body = Buffer.from(await (await fetch(client.url + path)).arrayBuffer());
    const list = Buffer.concat(stored.flatMap((wire, n) => (n === 0 ? [wire] : [Buffer.from(","), wire])));
    assert.ok(body.subarray('{"envelopes":['.length).subarray(0, list.length).equals(list), "byte for byte");
    const page = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    assert.equal(page.envelopes.length, stored.length);
    const live = await Live.open(client, recipient);
    await live.next();
    for (const [n, wire] of stored.entries()) {
      const text = await live.nextText();
      assert.equal(text, `{"rowid":${n + 1},"envelope":${wire}}`);
      assert.deepEqual(JSON.parse(text).envelope, page.envelopes[n]);
      live.ack(n + 1);
    }
    await live.isSilent();
    await live.close();
    assert.deepEqual((await client.pull(recipient)).rowids, []);
  });

  it("that went bad on the disk is left out of a stream, and goes with the next acknowledgement", async () => {
    const { sender, recipient } = await pairOf(relay.client);
    const wires = [1, 2, 3].map((seq) => sender.envelope(recipient, { seq }));
    for (const wire of wires) assert.equal((await relay.client.deliver(recipient, wire)).status, 204);
    await relay.stop();
    const isOurs = (file) => ask(file, "SELECT sender FROM envelopes").some(({ sender: id }) => id === sender.id);
    const [file, ...others] = databases(relay.data).filter(
      (file) => tablesOf(file).includes("envelopes") && isOurs(file),
    );
    assert.deepEqual(others, []);
    const database = new DatabaseSync(file);
    assert.equal(database.prepare("UPDATE envelopes SET wire = x'7bff' WHERE row_id = 2").run().changes, 1);
    database.close();
    await relay.start();
    const live = await Live.open(relay.client, recipient);
    await live.next();
    assert.deepEqual(await live.rows(2), [1, 3]);
    live.ack(3);
    await until(async () => (await relay.client.pull(recipient)).rowids.length === 0, "it stays");
    await live.close();
  });
});
