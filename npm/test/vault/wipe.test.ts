import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Host, protectKeys, wipe } from "agentpair";
import { Child } from "../support/child.ts";
import { Remote } from "../support/remote.ts";
import { scratch } from "../support/scratch.ts";
import { FileKeychain, idOf, PASSPHRASE } from "./support/keys.ts";

/** A directory with a host in it, closed. */
async function closed(): Promise<string> {
  const dataDir = join(scratch(), "data");
  await idOf(dataDir);
  return dataDir;
}

test("nothing is left, and what lay in the file is overwritten first", async () => {
  const dataDir = await closed();
  writeFileSync(join(dataDir, "approvals", "00000000-0000-4000-8000-000000000000"), "approve: 123456\n");
  for (const name of ["agentpair.db-journal", "open-approvals.html"]) writeFileSync(join(dataDir, name), "");
  mkdirSync(join(dataDir, "restore-draft"));
  writeFileSync(join(dataDir, "restore-draft", "agentpair.db"), "half");
  // Another name of the same bytes on the disk.
  const other = join(dataDir, "..", "other");
  linkSync(join(dataDir, "agentpair.db"), other);
  const { size } = statSync(other);
  assert.ok(size > 0);
  const { foreign, leftover } = await wipe(dataDir);
  assert.deepEqual([foreign, leftover], [[], undefined]);
  assert.ok(!existsSync(dataDir));
  assert.ok(readFileSync(other).equals(Buffer.alloc(size)), "zeros");
});

test("a host that was killed is wiped too", async (t) => {
  const dataDir = join(scratch(), "data");
  const child = new Child(t, "../vault/support/writing.ts", dataDir);
  await child.hear();
  await child.kill();
  assert.ok(existsSync(join(dataDir, "agentpair.db-wal")));
  await wipe(dataDir);
  assert.ok(!existsSync(dataDir));
});

test("keys that are sealed go without being opened, and so does their key", async () => {
  const keychain = new FileKeychain(join(scratch(), "keychain"));
  const [one, other] = [await closed(), await closed()];
  await protectKeys(one, "passphrase", PASSPHRASE);
  await wipe(one, keychain);
  assert.ok(!existsSync(one));
  await protectKeys(other, "keychain", undefined, { keychain });
  assert.equal(Object.keys(keychain.entries).length, 1);
  await wipe(other, keychain);
  assert.deepEqual([keychain.entries, existsSync(other)], [{}, false]);
});

test("what is not ours stays, and is named", async () => {
  const dataDir = await closed();
  writeFileSync(join(dataDir, "thesis.txt"), "years of work");
  assert.deepEqual((await wipe(dataDir)).foreign, ["thesis.txt"]);
  assert.deepEqual(readdirSync(dataDir), ["thesis.txt"]);
});

test("a directory that another process uses is refused, and stays as it is", async (t) => {
  const dataDir = await closed();
  const host = new Remote(t, { dataDir, network: false });
  const { agentId } = await host.call("me");
  await assert.rejects(wipe(dataDir), { code: "directory_in_use", blame: "policy" });
  assert.equal((await host.call("me")).agentId, agentId);
  await host.kill();
  assert.equal(await idOf(dataDir), agentId);
  // In this process too.
  const own = await Host.open({ dataDir, network: false });
  await assert.rejects(wipe(dataDir), { code: "directory_in_use" });
  await own.close();
  await wipe(dataDir);
});

const OTHERS: { [name: string]: [string, (dataDir: string) => void] } = {
  "no database": ["no_store", () => {}],
  "a text": ["not_ours", (dataDir) => writeFileSync(join(dataDir, "agentpair.db"), "some text\n".repeat(500))],
  "nothing in it": ["not_ours", (dataDir) => writeFileSync(join(dataDir, "agentpair.db"), "")],
  "another program's database": [
    "not_ours",
    (dataDir) => {
      const database = new DatabaseSync(join(dataDir, "agentpair.db"));
      database.exec("CREATE TABLE songs (title TEXT)");
      database.close();
    },
  ],
};

for (const [name, [code, make]] of Object.entries(OTHERS)) {
  test(`a directory that is not ours is refused: ${name}`, async () => {
    const dataDir = scratch();
    writeFileSync(join(dataDir, "thesis.txt"), "years of work");
    make(dataDir);
    const before = readdirSync(dataDir).map((file) => readFileSync(join(dataDir, file), "latin1"));
    await assert.rejects(wipe(dataDir), { code });
    assert.deepEqual(
      readdirSync(dataDir).map((file) => readFileSync(join(dataDir, file), "latin1")),
      before,
    );
  });
}
