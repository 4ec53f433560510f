// Confidentiality and keys: W51 to W54 of docs/weaknesses.md.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { AgentId, Identity, PairKey, verifyReceipt } from "agentpair";
import { keysUnder, record } from "../mcp/e2e/support/database.ts";
import { Desk } from "../mcp/tools/support/server.ts";
import { Between } from "../support/between.ts";
import { holds, readings } from "../support/haystack.ts";
import { messages, openHost, openTwo, pair, received } from "../support/hosts.ts";
import { approveNext } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { agree, PATIENCE, stands, terms } from "./support/agree.ts";
import { eventsOf, heard } from "./support/feeds.ts";
import { HostileRelay, type Told } from "./support/hostile-relay.ts";
import { mallory } from "./support/mallory.ts";

/** One for all tests of this file. */
const relay = await Relay.start({ after });

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
test("W51_artifacts_are_ciphertext: a deliverable that the model puts stays here, and leaves sealed", async (t) => {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  const { alice, bob } = await pair(...(await openTwo(t, proxy.url)));
  const desk = await Desk.open(t, alice);
  const marker = "Our lowest price is 4711 EUR";
  const content = `${marker} and nobody else may know.\n`.repeat(900);
  const requests = proxy.requests;
  const { artifact_hash } = await desk.good("artifact_put", { content });
  assert.equal(artifact_hash, sha256(content));
  assert.equal(proxy.requests, requests, "artifact_put sends something");
  const thread = await alice.openSession("bob", terms());
  await approveNext(bob, "open");
  await stands(alice, "bob", thread, "live");
  const deliverable = { kind: "text", name: "prices.txt", artifact_hash };
  await desk.good("session_msg", { thread, type: "propose", body: marker, deliverable });
  await alice.send("bob", content, { thread: "t" });
  await received(bob, 1);
  assert.equal((await bob.deliverable("alice", thread, artifact_hash))?.text, content);
  const sent = proxy.sent.map((chunks) => Buffer.concat(chunks));
  const [uploaded] = sent.flatMap(
    (bytes) => /PUT \/artifact\/([0-9a-f]{64}) /.exec(bytes.toString("latin1"))?.[1] ?? [],
  );
  assert.ok(uploaded, "nothing was uploaded");
  const haystacks = readings(sent);
  for (const needle of [marker, artifact_hash, "nobody else"]) {
    assert.ok(!holds(haystacks, Buffer.from(needle)), `the relay can read ${needle}`);
  }
  // Anybody can have what lies there; nobody has it under the hash that the two sides sign.
  const stranger = async (hash: string) => {
    const answer = await fetch(`${proxy.url}/artifact/${hash}`);
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const { status, bytes } = await stranger(uploaded);
  assert.deepEqual([status, sha256(bytes), bytes.includes(marker.slice(0, 10))], [200, uploaded, false]);
  assert.equal((await stranger(artifact_hash)).status, 404);
});

test("W52_fetched_bytes_are_verified: whatever a relay gives instead is refused, told to both, and not shown", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const { alice, bob, bond } = await pair(...(await openTwo(t, hostile.url)));
  const large = (what: string) => `${what} ${"x".repeat(60_000)}`;
  await alice.send(bond.id, large("first"), { thread: "t" });
  await received(bob, 1);
  const [genuine = Buffer.alloc(0)] = hostile.artifacts.values();
  const lies: [string, (sealed: Buffer) => Told, string][] = [
    ["one bit", (sealed) => ({ status: 200, body: flipped(sealed, 40) }), "artifact_decrypt_failed"],
    ["the nonce", (sealed) => ({ status: 200, body: flipped(sealed, 0) }), "artifact_decrypt_failed"],
    ["the tag", (sealed) => ({ status: 200, body: flipped(sealed, sealed.length - 1) }), "artifact_decrypt_failed"],
    ["a part", (sealed) => ({ status: 200, body: sealed.subarray(0, -1) }), "artifact_decrypt_failed"],
    ["nothing", () => ({ status: 200, body: "" }), "artifact_decrypt_failed"],
    ["another one of the same peer", () => ({ status: 200, body: genuine }), "artifact_decrypt_failed"],
    ["a page", () => ({ status: 200, body: "<html>" }), "artifact_decrypt_failed"],
    ["no such artifact", () => ({ status: 404, body: '{"error":"artifact_not_found"}' }), "artifact_not_found"],
  ];
  // The first one was genuine; the next ones are not what they were.
  hostile.instead = ({ method, path }) => {
    const hash = path.split("/")[2] ?? "";
    const [, lie] = lies[[...hostile.artifacts.keys()].indexOf(hash) - 1] ?? [];
    return method === "GET" && path.startsWith("/artifact/")
      ? lie?.(hostile.artifacts.get(hash) ?? genuine)
      : undefined;
  };
  const mids = new Map<string, string>();
  for (const [name] of lies) {
    const { mid } = await alice.send(bond.id, large(name), { thread: name.replaceAll(" ", "-") });
    mids.set(name, mid);
  }
  for (const [name, , code] of lies) {
    const mid = mids.get(name);
    const end = await heard(alice, "delivery", (event) => event.mid === mid && event.state !== "relayed");
    assert.deepEqual([end.state, end.code], ["refused", code], name);
  }
  const refused = (await eventsOf(bob, "refused")).map(({ thread, code }) => [thread, code]);
  assert.deepEqual(
    new Map(refused as [string, string][]),
    new Map(lies.map(([name, , code]) => [name.replaceAll(" ", "-"), code])),
  );
  hostile.instead = undefined;
  await alice.send(bond.id, large("last"), { thread: "t" });
  await received(bob, 2);
  assert.deepEqual(
    (await messages(bob)).map((body) => body.slice(0, 5)),
    ["first", "last "],
  );
  // And no report is made over bytes of a relay's choice.
  const desk = await Desk.open(t, bob);
  const asked = hostile.asked.length;
  const args = { thread: "t", criterion_id: "a", artifact_hash: sha256(genuine) };
  assert.equal((await desk.bad("atest_run", args)).code, "not_available");
  assert.ok(hostile.asked.slice(asked).every(({ path }) => !path.startsWith("/artifact/")));
});

/** The same bytes, but one bit. */
function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

test("W53_a_stolen_key_opens_one_bond, and none once it has ended and was erased", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const dataDir = join(scratch(), "bob");
  const bob = await openHost(t, { relay: hostile.url, dataDir });
  const [alice, carol] = [await mallory(t, bob, hostile.url, "alice"), await mallory(t, bob, hostile.url, "carol")];
  await alice.pen.write("core.msg", "t", { body: "to be kept from thieves" });
  await received(bob, 1);
  await bob.send(alice.back.id, "and so is this", { thread: "t" });
  // What a relay recorded, in both directions.
  const { wire: ours } = await hostile.posted(({ type, from }) => type === "core.msg" && from === alice.back.own);
  const { wire: theirs } = await hostile.posted(({ type, from }) => type === "core.msg" && from === alice.bond.own);
  const secrets = () =>
    keysUnder(dataDir, "secret").map((key) => ({ key, seed: JSON.parse(record(dataDir, key) ?? '""') as string }));
  /** What somebody reads who has these keys. */
  const readable = (wire: string, keys = secrets()) => {
    const { from, to } = JSON.parse(wire);
    const peer = from === alice.back.own ? to : from;
    return keys.flatMap(({ seed }) => {
      try {
        const key = PairKey.derive(Identity.fromSeed(Buffer.from(seed, "base64url")), peer);
        return [Buffer.from(key.open(Buffer.from(wire), 0, Math.floor(Date.now() / 1_000)).plaintext).toString()];
      } catch {
        return [];
      }
    });
  };
  assert.notEqual(alice.back.own, carol.back.own);
  assert.match(readable(theirs).join(), /to be kept from thieves/, "the check itself can read with the right key");
  // Carol's key and the root open nothing of Alice's.
  const [stolen = ""] = secrets().flatMap(({ key, seed }) => (key === `secret/${alice.back.id}` ? [seed] : []));
  const others = secrets().filter(({ seed }) => seed !== stolen);
  assert.ok(others.length >= 2);
  assert.deepEqual([...readable(theirs, others), ...readable(ours, others)], []);

  await bob.revoke(alice.back.id);
  const erased = async () => (await bob.audit({ limit: 1_000 })).find(({ act }) => act === "bond_keys_erased");
  await bob.until(erased, "the erasure", PATIENCE);
  assert.deepEqual([...readable(theirs), ...readable(ours)], []);
  assert.ok(secrets().length >= 2, "the other keys are there");
  await bob.close();
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith("agentpair.db")) continue;
    const bytes = readFileSync(join(dataDir, name));
    assert.ok(
      !bytes.includes(stolen) && !bytes.includes(Buffer.from(stolen, "base64url")),
      `the key is left in ${name}`,
    );
  }
  // The bond with Carol goes on.
  const again = await openHost(t, { relay: hostile.url, dataDir });
  await carol.pen.write("core.msg", "t", { body: "still here" });
  await heard(again, "message", ({ body }) => body === "still here");
});

test("W54_no_signature_means_two_things: what one is good for, it is good for alone", async (t) => {
  const hostile = await HostileRelay.start(t, relay.url);
  const [alice, bob] = await openTwo(t, hostile.url);
  const { bond, back } = await pair(alice, bob);
  const content = `${"what both agree on, at length\n".repeat(3_000)}`;
  const { thread, hash } = await agree(alice, bob, content);
  const receipt = (await alice.receipt("bob", thread)) ?? "";
  verifyReceipt(receipt);

  // Everything that was signed on the way, by both, as a relay sees it.
  const signed: { what: string; id: string; message: Buffer; sig: Buffer }[] = [];
  const bytes = (base64url: string) => Buffer.from(base64url, "base64url");
  for (const { method, path, headers, body } of hostile.asked) {
    const route = path.split("/")[1];
    if (method === "PUT" && route === "artifact") {
      const [id, name] = [String(headers["x-agent-id"]), path.split("/")[2] ?? ""];
      signed.push({ what: "artifact", id, message: Buffer.from(name), sig: bytes(String(headers["x-artifact-sig"])) });
    } else if (["PUT", "POST"].includes(method) && ["allowlist", "inbox", "invite"].includes(route ?? "")) {
      const { blob, sig } = JSON.parse(body.toString());
      if (blob === undefined) continue;
      const message = bytes(blob);
      const parsed = JSON.parse(message.toString());
      signed.push({ what: route ?? "", id: parsed.agent_id ?? parsed.from, message, sig: bytes(sig) });
    }
  }
  for (const { path } of hostile.opened) {
    const [, id = ""] = /^\/inbox\/([^/?]+)\/live/.exec(decodeURIComponent(path)) ?? [];
    const query = new URLSearchParams(path.split("?")[1]);
    const message = Buffer.from(query.get("challenge") ?? "");
    signed.push({ what: "challenge", id, message, sig: bytes(query.get("sig") ?? "") });
  }
  const { initiator_ratified: one, recipient_ratified: two } = JSON.parse(receipt);
  const kinds = new Set(signed.map(({ what }) => what));
  assert.deepEqual([...kinds].sort(), ["allowlist", "artifact", "challenge", "inbox", "invite"]);

  // Without a domain: exactly those four kinds of the draft, and no text is one of two kinds.
  const looksLike: { [what: string]: (message: string) => boolean } = {
    inbox: (message) => message.startsWith('{"v":1,"id":'),
    allowlist: (message) => message.startsWith('{"agent_id":'),
    challenge: (message) => /^[A-Za-z0-9_-]{43}$/.test(message),
    artifact: (message) => /^[0-9a-f]{64}$/.test(message),
  };
  for (const { what, id, message, sig } of signed) {
    const isBare = AgentId.parse(id).verify(message, sig);
    assert.equal(isBare, what !== "invite", `${what}: a domain`);
    if (!isBare) continue;
    const kinds = Object.keys(looksLike).filter((kind) => looksLike[kind]?.(message.toString()));
    assert.deepEqual(kinds, [what]);
  }
  // The draft's co-signature, over the bare hash of what was agreed, was made by nobody: not as a ratification, and not
  // as an upload either.
  const sigs = [...signed.map(({ sig }) => sig), bytes(one.sig), bytes(two.sig)];
  for (const id of [bond.own, back.own]) {
    for (const sig of sigs) {
      assert.ok(!AgentId.parse(id).verify(Buffer.from(hash), sig), "somebody signed the bare hash");
      assert.ok(!AgentId.parse(id).verify(Buffer.from(hash, "hex"), sig), "somebody signed the bare hash");
    }
  }
  // A relay, and a host, take none of them for another.
  const by = (what: string) => signed.find((each) => each.what === what && each.id === bond.own) ?? assert.fail(what);
  const wrap = ({ message, sig }: { message: Buffer; sig: Buffer }) => ({
    blob: message.toString("base64url"),
    sig: sig.toString("base64url"),
  });
  const put = (path: string, body: object) => fetch(relay.url + path, { method: "PUT", body: JSON.stringify(body) });
  assert.equal((await put(`/allowlist/${bond.own}`, wrap(by("inbox")))).status, 400);
  assert.equal((await put(`/allowlist/${bond.own}`, wrap(by("challenge")))).status, 400);
  assert.equal((await put(`/invite/x`, wrap(by("allowlist")))).status, 400);
  for (const what of ["allowlist", "challenge", "artifact"]) {
    const body = JSON.stringify({ v: 1, from: bond.own, to: bond.peer, ...wrap(by(what)) });
    assert.equal((await fetch(`${relay.url}/inbox/${bond.peer}`, { method: "POST", body })).status, 400, what);
    hostile.deliver(bond.peer, body);
  }
  const before = (await eventsOf(bob, "refused")).length;
  await alice.send(bond.id, "after all that", { thread: "t" });
  await heard(bob, "message", ({ body }) => body === "after all that");
  assert.equal((await eventsOf(bob, "refused")).length, before);
  assert.deepEqual(await messages(bob), ["after all that"]);
});
