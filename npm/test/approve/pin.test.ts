// `agentpair pin`, on a terminal.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, test } from "node:test";
import { Host } from "agentpair";
import { codesIn } from "../support/human.ts";
import { Relay } from "../support/relay.ts";
import { bonded } from "./support/owner.ts";

const { url: relay } = await Relay.start({ after });

test("a PIN is set, asked for, changed and removed, and never shown", async (t) => {
  const { owner, ask, how, terminal } = await bonded(t, relay);
  const set = terminal("pin", "set");
  await set.shows(/who forgets it can approve nothing here any more/);
  await set.answers(/New PIN:/, "short");
  await set.answers(/at least 8 characters[\s\S]*New PIN:/, "correct horse");
  await set.answers(/The same again:/, "correct house");
  await set.answers(/two different ones[\s\S]*New PIN:/, "correct horse");
  await set.answers(/The same again:/, "correct horse");
  await set.shows(/The PIN is set\./);
  assert.equal(await set.end(), 0);
  assert.equal((await owner.json(["pin", "status"]))[0].pin, true);

  const { place } = await ask();
  const approving = terminal("approve");
  await approving.answers(/Type approve, reject or later:/, "approve");
  await approving.answers(/Your PIN:/, "wrong horse");
  await approving.answers(/the PIN is wrong; \d+ more may be tried today[\s\S]*Your PIN:/, "correct horse");
  assert.equal(await approving.end(), 0);
  assert.equal(await how(), "terminal");
  assert.doesNotMatch(approving.text, /No PIN is set/);
  assert.throws(() => statSync(place));

  // A model with a shell has the codes, and no PIN.
  const next = await ask();
  const host = await Host.open({ dataDir: owner.dataDir, relay, network: false });
  await assert.rejects(host.decide(next.id, codesIn(next.place).approve), { code: "pin_required" });
  await host.close();

  const change = terminal("pin", "change");
  await change.answers(/The PIN as it is now:/, "correct horse");
  await change.answers(/New PIN:/, "battery staple");
  await change.answers(/The same again:/, "battery staple");
  await change.shows(/The PIN is changed\./);
  assert.equal(await change.end(), 0);

  const refused = terminal("pin", "remove");
  await refused.answers(/Your PIN:/, "correct horse");
  assert.equal(await refused.end(), 3);
  const remove = terminal("pin", "remove");
  await remove.answers(/Your PIN:/, "battery staple");
  await remove.shows(/The PIN is gone/);
  assert.equal(await remove.end(), 0);
  assert.equal((await owner.json(["pin", "status"]))[0].pin, false);

  for (const screen of [set, approving, change, refused, remove]) {
    for (const secret of ["correct horse", "wrong horse", "battery staple"]) assert.ok(!screen.raw.includes(secret));
  }
});

test("a PIN is typed on a terminal only", async (t) => {
  const { owner } = await bonded(t, relay);
  for (const verb of ["set", "change", "remove"]) {
    const { stderr } = await owner.run(["pin", verb], { input: "correct horse\ncorrect horse\n", code: 3 });
    assert.match(stderr, /this needs a terminal, so that nobody but you knows the PIN/);
  }
  assert.equal(
    (await owner.run(["pin", "status"])).stdout,
    "no PIN: whatever runs as you can approve, an agent with a shell too\n",
  );
});
