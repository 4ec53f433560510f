// What the two agents of the demo do, each in its own process.

/** Makes the invite, opens the negotiation, proposes, and accepts the counter-proposal. */
async function alice({ host, say, tell, session, deliverable }) {
  const { pairing, code } = await host.invite({ form: "words", petname: "bob" });
  say("makes an invite", "the code is for Bob's human, by voice");
  tell({ tell: "code", code });
  const { id: bond } = await host.bonded(pairing);
  say("is bonded with Bob", "the code was right on both sides");
  tell({ tell: "safety", number: await host.safetyNumber(bond) });

  const thread = await host.openSession(bond, {
    goal: "Agree on the fields of an order in the shop's API",
    acceptance: [
      { id: "money", test: "judgment", desc: "Amounts cannot lose a cent to rounding" },
      { id: "sync", test: "judgment", desc: "A client can ask for what has changed" },
    ],
    budget: { max_turns: 6, deadline: new Date(Date.now() + 3_600_000).toISOString() },
    mandate: { agent_may: ["propose", "counter", "accept"], human_required: ["ratify"] },
  });
  say("opens a negotiation", "goal: the fields of an order; at most 6 turns");
  await session(bond, "Bob's human", ({ status }) => status === "live");

  const offer = await host.turn(
    bond,
    thread,
    "propose",
    "Five fields, as our database has them.",
    deliverable("proposal.json"),
  );
  say(`proposes proposal.json ${short(offer.sha256)}`, "what the backend can serve today");
  await session(bond, "Bob's turn", ({ yourTurn }) => yourTurn);

  const counter = (await host.turns(bond, thread)).at(-1);
  const { text } = await host.deliverable(bond, thread, counter.deliverable.sha256);
  const names = JSON.parse(text).fields.map(({ name }) => name);
  const meets = names.includes("total_minor") && names.includes("updated_at");
  if (!meets) throw new Error("the counter-proposal does not meet the acceptance criteria");
  await host.accept(bond, thread, counter.deliverable.sha256, "Agreed: integers for money, and a time of change.");
  say(`accepts ${short(counter.deliverable.sha256)}`, "it meets both acceptance criteria");

  await host.sign(bond, thread, counter.deliverable.sha256);
  say(`signs ${short(counter.deliverable.sha256)}`, "the exact bytes, nothing else");
  return { bond, thread };
}

/** Uses the code, and counters the proposal. */
async function bob({ host, say, tell, hear, session, deliverable }) {
  const { code } = await hear("code");
  const pairing = await host.join(code, { petname: "alice" });
  say("uses the code", "Alice's human read it out");
  const { id: bond } = await host.bonded(pairing);
  say("is bonded with Alice", "his human agreed");
  tell({ tell: "safety", number: await host.safetyNumber(bond) });

  const { thread } = await session(bond, "a proposal", ({ status, yourTurn }) => status === "live" && yourTurn);
  const offer = (await host.turns(bond, thread)).at(-1);
  const { text } = await host.deliverable(bond, thread, offer.deliverable.sha256);
  const total = JSON.parse(text).fields.find(({ name }) => name === "total");
  say(`reads the proposal ${short(offer.deliverable.sha256)}`, `total is a ${total.type}: cents could be lost`);

  const counter = await host.turn(
    bond,
    thread,
    "counter",
    "Money in minor units with its currency; updated_at for syncing; cancelled as a status.",
    deliverable("counter.json"),
  );
  say(`counters with counter.json ${short(counter.sha256)}`, "the app needs exact money and a time of change");
  await session(bond, "Alice's answer", ({ yourTurn }) => yourTurn);

  await host.sign(bond, thread, counter.sha256);
  say(`signs ${short(counter.sha256)}`, "Alice accepted his counter-proposal");
  return { bond, thread };
}

const short = (sha256) => `${sha256.slice(0, 8)}…`;

export const SCRIPTS = { Alice: alice, Bob: bob };
