import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { BaseHost } from "agentpair";
import { Relay } from "../../support/relay.ts";
import type { Desk, Json } from "./support/server.ts";
import { decide, live, stands, terms, two } from "./support/two.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

test("a long deliverable, a long turn and long terms can be read whole", async (t) => {
  const bonded = await two(t, relay.url);
  const { alice, bob, other } = bonded;
  const long = (what: string) => Array.from({ length: 3_000 }, (_, n) => `${what} ${n} "größer" \\u{41}\n`).join("");
  // As long as terms may be, nearly.
  const goal = long("goal").slice(0, 30_000);
  const wanted = terms(goal, 6);
  wanted.acceptance = Array.from({ length: 20 }, (_, n) => ({
    id: `c${n}`,
    test: "judgment",
    desc: long(`${n}`).slice(0, 900),
  }));
  const thread = await alice.openSession("bob", wanted);
  await decide(other, bob, "open");
  await stands(alice, "bob", thread, ({ status }) => status === "live");
  const body = long("body");
  const deliverable = { kind: "text", media_type: "text/plain", name: "long.txt", text: long("text") } as const;
  const { sha256 } = await alice.turn("bob", thread, "propose", body, deliverable);
  await stands(bob, "alice", thread, ({ yourTurn }) => yourTurn);

  const status = await other.good("session_status", { thread });
  assert.equal(status.terms.cut, true);
  assert.ok(status.terms.acceptance.length > 0 && status.terms.acceptance.length < 20);
  assert.equal(await whole(other, { thread, deliverable: sha256 }, ({ deliverable }) => deliverable), deliverable.text);
  const told = JSON.parse(await whole(other, { thread, deliverable: "terms" }, ({ deliverable }) => deliverable));
  assert.deepEqual([told.goal, told.acceptance], [goal, wanted.acceptance]);
  assert.equal(
    await whole(other, { thread }, ({ turns: [turn] }) => ({ text: turn.body, next_offset: turn.next_offset })),
    body,
  );
  // Own texts are read the same way.
  const desk = bonded.desk;
  assert.equal(await whole(desk, { thread, deliverable: sha256 }, ({ deliverable }) => deliverable), deliverable.text);
});

/** Reads a text page by page. */
async function whole(desk: Desk, args: Json, of: (result: Json) => { text: Json | string; next_offset?: number }) {
  let read = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { text, next_offset }: { text: Json | string; next_offset?: number } = of(
      await desk.good("session_status", { ...args, offset }),
    );
    read += typeof text === "string" ? text : text.data.replaceAll("\\u{5c}u{", "\\u{");
    offset = next_offset;
  }
  return read;
}

test("many turns come in pages", async (t) => {
  const bonded = await two(t, relay.url);
  const { alice, bob, desk, other } = bonded;
  const thread = await live(bonded, 40);
  const sides: [BaseHost, string, BaseHost, string][] = [
    [alice, "bob", bob, "alice"],
    [bob, "alice", alice, "bob"],
  ];
  for (let n = 0; n < 12; n++) {
    const [host, peer, listener, back] = sides[n % 2] as (typeof sides)[number];
    const deliverable = { kind: "text", media_type: "text/plain", name: `${n}.txt`, text: `${n}\n` } as const;
    await host.turn(peer, thread, n === 0 ? "propose" : "counter", `turn ${n} ${"because ".repeat(300)}`, deliverable);
    await stands(listener, back, thread, ({ yourTurn }) => yourTurn);
  }
  for (const agent of [desk, other]) {
    const seen: number[] = [];
    let pages = 0;
    for (let since: number | undefined = 0; since !== undefined; pages++) {
      const { turns, more, next_since }: Json = await agent.good("session_status", { thread, turns_since: since });
      seen.push(...turns.map(({ n }: Json) => n));
      assert.equal(more, next_since !== undefined);
      since = next_since;
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    assert.ok(pages > 1);
  }
});
