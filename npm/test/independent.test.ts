// Every vector that says what AgentPair is, judged a second time: by the noble libraries and SPEC.md, without a line of
// ours. protocol/tests and wasm/tests judge the same files by the code that is shipped.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { agreements, approvals, audit, receipts, safety } from "./independent/agreement.ts";
import { challenges } from "./independent/challenge.ts";
import { artifact, base64url, bound, core, keys, negative, payload } from "./independent/envelope.ts";
import {
  bothKnown,
  fingerprintV1,
  fingerprintV2,
  halfKnown,
  invites,
  signatures,
  tags,
} from "./independent/pairing.ts";

const FIXTURES = new URL("../../fixtures/", import.meta.url);

type Check = (text: string) => void;
const json =
  <T>(check: (file: T) => void): Check =>
  (text) =>
    check(JSON.parse(text) as T);

const CHECKS: Record<string, Check> = {
  "agentpair-1.0-draft/artifact-spillover.json": json(artifact),
  "agentpair-1.0-draft/base64url.json": json(base64url),
  "agentpair-1.0-draft/envelope-core-msg.json": json(core),
  "agentpair-1.0-draft/envelope-negative.json": json(negative),
  "agentpair-1.0-draft/keys.json": json(keys),
  "agentpair-1.0-draft/pair-bond-ok-tag.json": json(tags),
  "agentpair-1.0-draft/pair-confirm-fingerprint.json": json(fingerprintV1),
  "agentpair-1.0-draft/pair-confirm-fingerprint-v2.json": json(fingerprintV2),
  "agentpair-1.0-draft/payload-encryption.json": json(payload),
  "agentpair-1.0-draft/spake2-half-known.json": json(halfKnown),
  "agentpair-own/agreement.json": json(agreements),
  "agentpair-own/approval.json": json(approvals),
  "agentpair-own/audit.json": json(audit),
  "agentpair-own/bind.json": json(bound),
  "agentpair-own/challenge.json": json(challenges),
  "agentpair-own/invite.json": json(invites),
  "agentpair-own/receipt.json": json(receipts),
  "agentpair-own/safety-number.json": json(safety),
  "agentpair-own/signatures.json": json(signatures),
  "agentpair-own/spake2.json": json(bothKnown),
};

const PRIMITIVES = "judges primitives, of others for everybody; our own code is judged by it in protocol/tests";
const NOT_CHECKED: Record<string, string> = {
  "README.md": "text",
  "agentpair-1.0-draft/pairing-words.txt": "a list, of which nothing follows",
  "ed25519-speccheck/SOURCE.txt": "text",
  "ed25519-speccheck/cases.json": PRIMITIVES,
  "wycheproof/LICENSE": "text",
  "wycheproof/ed25519_test.json": PRIMITIVES,
  "wycheproof/hkdf_sha256_test.json": PRIMITIVES,
  "wycheproof/x25519_test.json": PRIMITIVES,
  "wycheproof/xchacha20_poly1305_test.json": PRIMITIVES,
};

for (const [path, check] of Object.entries(CHECKS)) {
  test(path, async () => check(await readFile(new URL(path, FIXTURES), "utf8")));
}

test("every file of fixtures/ is checked, or named with a reason", async () => {
  const entries = await readdir(FIXTURES, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`);
  const root = FIXTURES.pathname.replace(/\/$/, "");
  const paths = files.map((file) => file.slice(root.length).replace(/^\/+/, "")).sort();
  assert.deepEqual(paths, [...Object.keys(CHECKS), ...Object.keys(NOT_CHECKED)].sort());
});
