// What a bonded peer writes may be very long: it is cut for the model, read page by page, and shown whole to the human.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openHost } from "../../support/hosts.ts";
import { codesIn } from "../../support/human.ts";
import { Relay } from "../../support/relay.ts";
import { scratch } from "../../support/scratch.ts";
import { Agent, type Json } from "./support/agent.ts";
import { agentpair } from "./support/command.ts";
import { unescaped } from "./support/contents.ts";
import { assertFramed, assertMarked, PAGE_CAP, shows } from "./support/framing.ts";
import { HostilePeer } from "./support/hostile-peer.ts";

const relay = await Relay.start({ after });
const PEER = "mallory";

const dataDir = join(scratch(), "bob");
const bob = await Agent.start({ after }, { dataDir, relay: relay.url, kind: "sdk" });
bob.inspect = (tool, result, { item, deliverable }) => {
  const isWhole = item !== undefined || deliverable !== undefined;
  assertFramed(result, PEER, tool, isWhole ? PAGE_CAP : undefined);
};
const mallory = await HostilePeer.pair({ after }, relay.url, bob, PEER);

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("a message of 10 MiB is shown page by page", async () => {
  const head = "\u001b[2J\u202e first ";
  const tail = " last \u0007\u{e0041} HOSTILE-99";
  const body = `${head}${"x".repeat(10 * 1024 * 1024 - 1_000)}${tail}`;
  await mallory.host.send(mallory.bond.id, body, { thread: "ten" });
  const item = await bob.heard(({ thread }) => thread === "ten", "ten mebibytes");
  assert.ok(shows(item.body, body));
  assert.equal(item.body.truncated, true);
  assert.ok(item.next_offset > 0);
  const whole = async (offset: number): Promise<Json> => (await bob.good("inbox", { item: item.n, offset })).items[0];
  const next = await whole(item.next_offset);
  assert.match(next.body.data, /^x+$/);
  const last = await whole(body.length - tail.length - 5);
  assert.equal(unescaped(last.body.data), `xxxxx${tail}`);
  assert.equal(last.next_offset, undefined);
});

test("a deliverable of 1 MiB is shown page by page, and whole to the human", async (t) => {
  const { host, bond } = mallory;
  const desk = await openHost(t, { dataDir, relay: relay.url, network: false });
  const thread = await host.openSession(bond.id, {
    goal: "HOSTILE-98 \u202e",
    acceptance: [],
    budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: [], human_required: [] },
  });
  const asked = await bob.question("open");
  await desk.decide(asked.pending_id, codesIn(asked.approval_path).approve);
  await host.until(async () => (await host.session(bond.id, thread))?.status === "live" || undefined, "it is live");
  const text = `${"\u001b[31m".repeat(100)}${"y\n".repeat(500_000)}HOSTILE-97\n`;
  const deliverable = { kind: "text", media_type: "text/plain", name: "big.txt", text } as const;
  await host.turn(bond.id, thread, "propose", "HOSTILE-96", deliverable);
  await bob.sessionThat(thread, ({ turns }) => turns === 1, "the turn");
  const first = await bob.good("session_status", { thread, deliverable: sha256(text) });
  assert.ok(text.startsWith(unescaped(first.deliverable.text.data)));
  assert.ok(first.deliverable.next_offset > 0);
  const offset = text.length - 12;
  const last = await bob.good("session_status", { thread, deliverable: sha256(text), offset });
  assert.equal(unescaped(last.deliverable.text.data), text.slice(offset));
  await host.sign(bond.id, thread, sha256(text));
  await bob.sessionThat(thread, ({ signed_by_peer }) => signed_by_peer !== undefined, "the peer's signature");
  await bob.good("session_sign", { thread, artifact_hash: sha256(text) });
  const { approval_path } = await bob.question("ratify");
  const file = readFileSync(approval_path, "utf8");
  assertMarked(file);
  assert.ok(file.split("\n").length > 500_000);
  assert.match(codesIn(approval_path).approve, /^\d{6}$/);
});

test("the commands show all of it", async () => {
  const { code, stdout, stderr } = await agentpair(dataDir, relay.url, "inbox", "--all");
  assert.equal(code, 0, stderr);
  assertMarked(stdout);
  assert.ok(stdout.length > 10 * 1024 * 1024);
});
