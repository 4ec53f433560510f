// `agentpair approve`, on a terminal.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { PROGRAM } from "../cli/support/run.ts";
import { codesIn } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { Terminal } from "../support/terminal.ts";
import { bonded } from "./support/owner.ts";

const { url: relay } = await Relay.start({ after });

test("the human reads a question, and types the decision in full", async (t) => {
  const { ask, how, terminal } = await bonded(t, relay);
  const { digest, place } = await ask();
  const { approve, reject } = codesIn(place);
  const screen = terminal("approve");
  await screen.shows(/No PIN is set: whatever runs as you can decide as well/);
  await screen.shows(/Does bob see the same safety number, all five\s+groups\?/);
  await screen.shows(new RegExp(`digest ${digest.slice(0, 4)} ${digest.slice(4, 8)} `));
  await screen.answers(/Type approve, reject or later:/, "y");
  await screen.answers(/One of these three words, in full\.[\s\S]*Type approve, reject or later:/, "approve");
  assert.equal(await screen.end(), 0);
  assert.equal(await how(), "terminal");
  assert.ok(!screen.raw.includes(approve) && !screen.raw.includes(reject), "no code on the screen");
});

test("what is put off waits, and a rejection is one", async (t) => {
  const { owner, ask, how, terminal } = await bonded(t, relay);
  const { id } = await ask();
  const first = terminal("approve", id.slice(0, 8));
  await first.answers(/Type approve, reject or later:/, "later");
  assert.equal(await first.end(), 5);
  assert.deepEqual(
    (await owner.json(["approve"]))[0].waiting.map((one: { pending_id: string }) => one.pending_id),
    [id],
  );
  const second = terminal("approve", id);
  await second.answers(/Type approve, reject or later:/, "reject");
  await second.shows(/reject: Does bob/);
  assert.equal(await second.end(), 0);
  assert.equal(await how(), undefined);
  const third = terminal("approve");
  await third.shows(/Nothing waits for you\./);
  assert.equal(await third.end(), 0);
});

test("without a terminal it lists for programs, and decides nothing", async (t) => {
  const { owner, ask } = await bonded(t, relay);
  const { id, digest, place } = await ask();
  for (const words of [["approve"], ["approve", id], ["approve", "--watch"], ["approve", "--page"]]) {
    const { stdout, stderr } = await owner.run(words, { input: "approve\n", code: 3 });
    assert.equal(stdout, "");
    assert.match(stderr, /this needs a terminal, so that it is you who decides/);
  }
  const [listed] = await owner.json(["approve"]);
  assert.equal(listed.pin, false);
  const [item] = listed.waiting;
  assert.deepEqual([item.pending_id, item.kind, item.digest, item.approval_path], [id, "verify", digest, place]);
  const { approve, reject } = codesIn(place);
  const text = JSON.stringify(listed);
  assert.ok(!text.includes(`"${approve}"`) && !text.includes(`"${reject}"`));
  await owner.run(["--json", "approve", "0000"], { code: 3 });
});

test("codes that were lost are made anew", async (t) => {
  const { ask, how, terminal } = await bonded(t, relay);
  const { place } = await ask();
  rmSync(place);
  const screen = terminal("approve");
  await screen.answers(/Type approve, reject or later:/, "approve");
  assert.equal(await screen.end(), 0);
  assert.equal(await how(), "terminal");
});

test("it stays, rings, and shows what comes, until Ctrl-C", async (t) => {
  const { ask, how, terminal } = await bonded(t, relay);
  const screen = terminal("approve", "--watch");
  await screen.shows(/Waiting for questions\. Ctrl-C ends it\./);
  assert.ok(!screen.raw.includes("\u0007"));
  const { id } = await ask();
  await screen.shows(/Does bob see the same safety number/);
  assert.ok(screen.raw.includes("\u0007"), "it rang");
  await screen.answers(/Type approve, reject or later:/, "later");
  await screen.shows(/Waiting for questions/);
  assert.ok(id);
  screen.interrupts();
  assert.equal(await screen.end(), 130);
  assert.equal(await how(), undefined);
});

test("a question that is decided elsewhere goes from the screen", async (t) => {
  const { owner, ask, terminal } = await bonded(t, relay);
  await ask();
  const screen = terminal("approve");
  await screen.shows(/Type approve, reject or later:/);
  await owner.decide("verify", "reject");
  await screen.shows(/does not wait any more/);
  assert.equal(await screen.end(), 5);
});

test("the page is served from a terminal, and ends with Ctrl-C", async (t) => {
  const { owner, ask, how, terminal } = await bonded(t, relay);
  const { id, digest } = await ask();
  const screen = terminal("approve", "--page");
  const [url] = await screen.shows(/http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}/);
  const { origin, hash } = new URL(url);
  const response = await fetch(`${origin}/decide`, {
    method: "POST",
    headers: { origin, authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" },
    body: JSON.stringify({ id, digest, decision: "approve" }),
  });
  assert.deepEqual(await response.json(), { decision: "approve" });
  // The token is in nobody's arguments.
  const lines = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine);
  assert.ok(lines.some((line) => line.includes("approve")) && !lines.some((line) => line.includes(hash.slice(1))));
  screen.interrupts();
  assert.equal(await screen.end(), 130);
  await assert.rejects(fetch(origin));
  assert.equal(await how(), "page");
  assert.deepEqual(readdirSync(owner.dataDir).sort(), ["agentpair.db", "approvals"]);
});

test("the browser is opened by a file that only the owner can read", async (t) => {
  const { owner, ask, how } = await bonded(t, relay);
  await ask();
  const folder = scratch();
  const told = join(folder, "told");
  writeFileSync(
    join(folder, "xdg-open"),
    `#!/bin/sh\nstat -c %a "$1" >'${told}'; cat "$1" >>'${told}'; echo "$1" >>'${told}'\n`,
    {
      mode: 0o755,
    },
  );
  const env = { ...owner.env, PATH: `${folder}:${owner.env.PATH}`, DISPLAY: ":9" };
  const screen = new Terminal(t, [PROGRAM, "approve", "--page", "--open"], env);
  const [url] = await screen.shows(/http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}/);
  const text = await eventually(() => {
    const found = readFileSync(told, "utf8");
    return found.trimEnd().endsWith("open-approvals.html") ? found : undefined;
  });
  assert.match(text, /^600\n/);
  assert.ok(text.includes(`0;url=${url}"`));
  assert.ok(text.endsWith(`\n${join(owner.dataDir, "open-approvals.html")}\n`), "the file, not the address");
  screen.interrupts();
  await screen.end();
  assert.deepEqual(readdirSync(owner.dataDir).sort(), ["agentpair.db", "approvals"]);
  assert.equal(await how(), undefined);
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (const end = Date.now() + 20_000; ; ) {
    try {
      const found = look();
      if (found !== undefined) return found;
    } catch {}
    if (Date.now() > end) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
