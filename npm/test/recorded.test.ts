import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { blake2b } from "@noble/hashes/blake2.js";
import { Between } from "./support/between.ts";
import { holds, holdsWord, readings } from "./support/haystack.ts";
import { openTwo } from "./support/hosts.ts";
import { approveNext } from "./support/human.ts";
import { Relay } from "./support/relay.ts";

/** Pairs two hosts, and returns the code with all that both have sent meanwhile. */
async function record(t: TestContext, form: "words" | "digits" | "link") {
  const proxy = await Between.start(t);
  await Relay.start(t, proxy);
  const [alice, bob] = await openTwo(t, proxy.url);
  const { code, pairing } = await alice.invite({ form, timeoutMs: 30_000 });
  await bob.join(code);
  await approveNext(bob, "join");
  const bond = await alice.bonded(pairing, { timeoutMs: 60_000 });
  await alice.safetyNumber(bond.id);
  await Promise.all([alice.close(), bob.close()]);
  const connections = proxy.sent.map((chunks) => Buffer.concat(chunks));
  assert.ok(connections.length > 0);
  return { code, haystacks: readings(connections) };
}

/** A text and its digests, in every spelling that a careless program might send. */
function spellings(text: string): { [name: string]: Buffer } {
  const found: { [name: string]: Buffer } = { text: Buffer.from(text) };
  const digests: { [name: string]: Buffer } = {
    blake2b256: Buffer.from(blake2b(Buffer.from(text), { dkLen: 32 })),
  };
  for (const name of ["md5", "sha1", "sha256", "sha512", "blake2b512"]) {
    digests[name] = createHash(name).update(text).digest();
  }
  for (const [name, digest] of Object.entries(digests)) {
    found[name] = digest;
    found[`${name} in hex`] = Buffer.from(digest.toString("hex"));
    found[`${name} in HEX`] = Buffer.from(digest.toString("hex").toUpperCase());
    found[`${name} in base64url`] = Buffer.from(digest.toString("base64url"));
    found[`${name} in base64`] = Buffer.from(digest.toString("base64").replace(/=+$/, ""));
  }
  return found;
}

/** The spellings of these texts that are in the recording. */
function leaks(haystacks: Buffer[], texts: string[]): string[] {
  return texts.flatMap((text) =>
    Object.entries(spellings(text))
      .filter(([, needle]) => holds(haystacks, needle))
      .map(([name]) => `${text}: ${name}`),
  );
}

test("W01_the_code_never_reaches_a_relay: nothing that pairing by words sends holds the code, or a word of it, or a digest", async (t) => {
  // The words of the protocol itself, such as "message", may happen to be in a code.
  const other = await record(t, "words");
  let { code, haystacks } = await record(t, "words");
  const words = (code: string) => code.split("-").slice(1);
  while (words(code).some((word) => holdsWord(other.haystacks, word))) ({ code, haystacks } = await record(t, "words"));

  const [number = "", ...three] = code.split("-");
  assert.ok(holdsWord(haystacks, `w${number}`), "the name of the invite is there, so the recording is one");
  for (const word of three) assert.ok(!holdsWord(haystacks, word), word);
  const secret = three.join("-");
  const variants = [code, secret, three.join(" "), three.join(""), code.replaceAll("-", " "), code.replaceAll("-", "")];
  assert.deepEqual(leaks(haystacks, [...variants, ...variants.map((text) => text.toUpperCase())]), []);
  const digests = three.flatMap((word) => leaks(haystacks, [word]).filter((leak) => !leak.endsWith(": text")));
  assert.deepEqual(digests, []);
});

test("W01_the_secret_of_a_link_never_reaches_a_relay: nothing that pairing by a link sends holds its secret or a digest", async (t) => {
  const { code, haystacks } = await record(t, "link");
  const [, name = "", secret = ""] = /[#&]i=([^.]+)\.([^&]+)/.exec(code) ?? [];
  assert.ok(holds(haystacks, Buffer.from(name)));
  assert.equal(Buffer.from(secret, "base64url").length, 16);
  assert.deepEqual(leaks(haystacks, [code, `${name}.${secret}`, secret]), []);
  assert.ok(!holds(haystacks, Buffer.from(secret, "base64url")));
});

test("W01_the_digits_never_reach_a_relay: nothing that pairing by digits sends holds the code or a digest of it", async (t) => {
  const { code, haystacks } = await record(t, "digits");
  assert.ok(holdsWord(haystacks, `d${code.slice(0, 3)}`));
  // The last three digits alone are too short to be looked for: they are in some timestamp or other.
  assert.deepEqual(leaks(haystacks, [code, code.replace("-", "")]), []);
});

test("the search finds what is hidden in any of these ways", () => {
  const secret = "54-banana-ecstasy-abandoned";
  const sha256 = createHash("sha256").update(secret).digest();
  const inner = JSON.stringify({ p: sha256.toString("base64url") });
  const frame = Buffer.from(secret).map((byte, n) => byte ^ (n % 4));
  const head = "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
  const hidden: { [name: string]: Buffer } = {
    plainly: Buffer.from(`POST /${secret}`),
    "as a raw digest": Buffer.concat([Buffer.from("x"), sha256]),
    "in hex": Buffer.from(`{"a":"${sha256.toString("hex")}"}`),
    "in base64url of base64url": Buffer.from(`{"e":"${Buffer.from(inner).toString("base64url")}"}`),
    "in JSON's escapes": Buffer.from(`{"a":"${secret.replaceAll("a", "\\u0061")}"}`),
    "in a URL's escapes": Buffer.from(`GET /?c=${secret.replaceAll("-", "%2d")}`),
    "in a frame": Buffer.concat([Buffer.from(head), Buffer.from([0x81, 0x80 | frame.length, 0, 1, 2, 3]), frame]),
  };
  for (const [name, bytes] of Object.entries(hidden)) {
    assert.notDeepEqual(leaks(readings([bytes]), [secret]), [], name);
  }
  assert.ok(holdsWord(readings([Buffer.from('{"a":"a Banana."}')]), "banana"));
  assert.ok(!holdsWord(readings([Buffer.from('{"a":"bananas"}')]), "banana"));
});
