// Two hosts on one relay pair, talk, and agree on a text. The example plays both agents and both humans.
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Host, verifyReceipt } from "agentpair";

const relay = process.env.AGENTPAIR_RELAY_URL ?? "http://127.0.0.1:3001";
const open = async (label) => Host.open({ relay, label, dataDir: await mkdtemp(join(tmpdir(), "agentpair-")) });
const [alice, bob] = [await open("Alice"), await open("Bob")];

// What needs a human waits in a file that only its owner can read. An agent should not read it; this example does.
async function approve(host, kind) {
  const waiting = async () => (await host.pendings()).find(({ subject }) => subject.kind === kind);
  const { id, place } = await host.until(waiting, `the question: ${kind}`);
  const [, code] = /^approve: (\d{6})$/m.exec(await readFile(place, "utf8"));
  await host.decide(id, code);
}

// Pair. The code goes from human to human, never through the relay.
const { pairing, code } = await alice.invite({ petname: "bob" });
const joining = await bob.join(code, { petname: "alice" });
await approve(bob, "join");
await Promise.all([alice.bonded(pairing), bob.bonded(joining)]);
console.log("paired");

// Talk.
await alice.send("bob", "Shall we fix the price?");
for await (const { event } of bob.events({ since: 0 })) {
  if (event.event !== "message") continue;
  console.log(`Bob reads: ${event.body}`);
  break;
}

// Agree: open, propose, accept, sign on both sides, ratify on both sides.
const thread = await alice.openSession("bob", {
  goal: "Fix the price of one hour",
  acceptance: [{ id: "price", test: "judgment", desc: "one number with a currency" }],
  budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
  mandate: { agent_may: ["propose", "accept"], human_required: ["ratify"] },
});
await approve(bob, "open");
const when = (host, bond, holds) =>
  host.until(async () => ((await host.session(bond, thread).then(holds)) ? true : undefined), "the session");
await when(alice, "bob", (session) => session.status === "live");
const price = { kind: "text", media_type: "text/plain", name: "price.txt", text: "120 EUR an hour\n" };
const { sha256 } = await alice.turn("bob", thread, "propose", "A fair price.", price);
await when(bob, "alice", (session) => session.yourTurn);
await bob.accept("alice", thread, sha256, "Agreed.");
await bob.sign("alice", thread, sha256);
await alice.sign("bob", thread, sha256);
await Promise.all([approve(alice, "ratify"), approve(bob, "ratify")]);

// Both sides hold the same receipt. It proves itself, without keys and without the relay.
await when(alice, "bob", (session) => session.hasReceipt);
const { agreement, terms } = verifyReceipt(await alice.receipt("bob", thread));
console.log(`agreed: ${terms.goal}, ${agreement.slice(0, 16)}…`);
await Promise.all([alice.close(), bob.close()]);
