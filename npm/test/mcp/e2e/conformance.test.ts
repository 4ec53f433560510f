// The protocol's own conformance suite, and the list of what in it is not about this server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const PLACE = join(import.meta.dirname, "../../../conformance");

test("the conformance suite passes", async () => {
  const list = JSON.parse(readFileSync(join(PLACE, "not-applicable.json"), "utf8"));
  // Whoever makes the list longer says so here.
  assert.equal(list.length, 24);
  const scenarios = list.map(({ scenario }: { scenario: string }) => scenario);
  assert.equal(new Set(scenarios).size, list.length);
  for (const { scenario, reason, ...rest } of list) {
    assert.match(scenario, /^[a-z0-9-]+$/);
    assert.ok(reason.length > 20, `${scenario} has no reason`);
    assert.deepEqual(rest, {});
  }
  const { stdout } = await promisify(execFile)(process.execPath, [join(PLACE, "run.mjs")], { timeout: 120_000 });
  assert.match(stdout, /Baseline check passed/);
  for (const scenario of scenarios) assert.ok(stdout.includes(`Running scenario: ${scenario} ===`), `no ${scenario}`);
});
