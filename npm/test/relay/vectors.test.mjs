// The draft's golden vectors, as a relay sees them. Their times have passed, so each is judged twice: as it is,
// and signed again with a time to come.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { before, describe, it } from "node:test";
import { Agent, base64url, nowSeconds, refused, useRelay } from "./kit.mjs";

const fixture = (name) =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, `../../../fixtures/agentpair-1.0-draft/${name}.json`), "utf8"));

/** What a relay can see: these are judged before, or by, the allowlist. */
const SEEN_BY_A_RELAY = {
  unsupported_version: 400,
  invalid_json: 400,
  version_mismatch: 400,
  routing_mismatch: 400,
  envelope_expired: 400,
  invalid_signature: 403,
  recipient_not_allowed: 403,
  envelope_too_large: 413,
};
/** Of these, what is judged before the time. */
const BEFORE_TIME = ["unsupported_version", "invalid_json", "version_mismatch", "routing_mismatch"];

describe("the draft's vectors", () => {
  const relay = useRelay();
  const alice = new Agent(Buffer.alloc(32, 1));
  const bob = new Agent(Buffer.alloc(32, 2));
  const post = (wire) => relay.client.deliver(bob, wire);

  before(() => relay.client.allow(bob, [alice]));

  it("keys: the ids are the published ones", () => {
    const keys = fixture("keys");
    assert.equal(alice.id, keys.alice.agentId);
    assert.equal(bob.id, keys.bob.agentId);
  });

  it("envelope-core-msg: past as it is, stored when it is not", async () => {
    const { wire } = fixture("envelope-core-msg").expected;
    const text = typeof wire === "string" ? wire : JSON.stringify(wire);
    refused(await post(text), 400, "envelope_expired");
    assert.equal((await post(again(text, alice))).status, 204);
  });

  for (const { name, wire, bodySize, expect, harness } of fixture("envelope-negative").cases) {
    it(`envelope-negative: ${name}`, async () => {
      if (wire === undefined) {
        const sized = alice.envelope(bob, { pad: bodySize });
        refused(await post(sized), 413, "envelope_too_large");
        assert.equal((await post(alice.envelope(bob, { pad: bodySize - 1 }))).status, 204);
        return;
      }
      const early = BEFORE_TIME.includes(expect);
      refused(await post(wire), 400, early ? expect : "envelope_expired");
      if (early || expect === "envelope_expired") return;
      if (!harness.isBonded) await relay.client.allow(bob, []);
      const answer = await post(again(wire, expect === "invalid_signature" ? undefined : alice));
      if (expect in SEEN_BY_A_RELAY) refused(answer, SEEN_BY_A_RELAY[expect], expect);
      else assert.equal(answer.status, 204, `${expect} is the recipient's to see`);
      if (!harness.isBonded) await relay.client.allow(bob, [alice]);
    });
  }

  it("base64url: what is not canonical is no blob, and no signature", async () => {
    const { reject } = fixture("base64url");
    for (const { input } of reject) {
      refused(await post(alice.envelope(bob, { outer: { blob: input } })), 400, "invalid_json");
      refused(await post(alice.envelope(bob, { outer: { sig: input } })), 403, "invalid_signature");
    }
  });
});

/** The envelope with another id and a time to come, signed by `signer`, or left with the signature it had. */
function again(wire, signer) {
  const outer = JSON.parse(wire);
  const body = JSON.parse(Buffer.from(outer.blob, "base64url").toString());
  const text = JSON.stringify({ ...body, id: crypto.randomUUID(), ttl: nowSeconds() + 600 });
  return JSON.stringify({ ...outer, blob: base64url(text), sig: signer?.sign(text) ?? outer.sig });
}
