import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openHost } from "./support/hosts.ts";

test("waits are bounded, by time and by signal", async (t) => {
  const host = await openHost(t, { relay: "http://127.0.0.1:9", network: false });
  await assert.rejects(
    host.until(async () => undefined, "something", { timeoutMs: 20 }),
    {
      code: "timeout",
      message: "waited in vain for something, 0.02 s",
    },
  );
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(
    host.until(async () => undefined, "something", { signal }),
    /^Error: enough$/,
  );
  await assert.rejects(async () => {
    for await (const item of host.events({ signal })) assert.fail(String(item));
  }, /^Error: enough$/);
});

test("a wait may be longer than any timer of the platform", async (t) => {
  const host = await openHost(t, { relay: "http://127.0.0.1:9", network: false });
  const label = async () => (await host.me()).label;
  const waiting = host.until(label, "a label", { timeoutMs: Number.POSITIVE_INFINITY });
  // Handled, should it fail at once.
  waiting.catch(() => {});
  await setTimeout(20);
  await host.setLabel("me");
  assert.equal(await waiting, "me");
});

test("a wait whose bound is left open has the usual one", async (t) => {
  const host = await openHost(t, { relay: "http://127.0.0.1:9", network: false });
  const timer = t.mock.method(globalThis, "setTimeout");
  await assert.rejects(host.bonded("none", { timeoutMs: undefined }), { code: "pair_not_found" });
  assert.ok(timer.mock.calls.some((call) => call.arguments[1] === 600_000));
});
