// One side of the demo: `agent.mjs NAME DATA RELAY`. It is scripted where a model would think; all else is real. It
// has no way to see the approval codes: its human, the process that started it, reads them in the files of the host.
import { readFileSync } from "node:fs";
import { Host, verifyReceipt } from "agentpair";
import { SCRIPTS } from "./scripts.mjs";

const [name, dataDir, relay] = process.argv.slice(2);
const host = await Host.open({ dataDir, relay, label: name });

/** Tells the human. */
const tell = (message) => process.send(message);
const say = (what, why) => tell({ tell: "did", what, why });

/** Waits for the human's next word of that sort. */
const heard = [];
let wake = () => {};
process.on("message", (message) => {
  heard.push(message);
  wake();
});
process.on("disconnect", () => process.exit());
async function hear(sort) {
  for (;;) {
    const at = heard.findIndex((message) => message.hear === sort);
    if (at >= 0) return heard.splice(at, 1)[0];
    await new Promise((resolve) => {
      wake = resolve;
    });
  }
}

/** Whatever needs the human is passed on, and decided with the code that comes back. */
async function passOnQuestions() {
  const asked = new Set();
  for await (const _ of host.events({ since: 0 })) {
    for (const { id, question, place } of await host.pendings()) {
      if (asked.has(id)) continue;
      asked.add(id);
      tell({ tell: "question", question, place });
      const { code } = await hear("decision");
      await host.decide(id, code);
    }
  }
}

/** What both scripts use. */
const agent = {
  host,
  say,
  tell,
  hear,
  deliverable: (file) => ({
    kind: "json",
    media_type: "application/json",
    name: "order-fields.json",
    text: readFileSync(new URL(`../../../examples/order-api/${file}`, import.meta.url), "utf8"),
  }),
  /** Waits until the session of a bond satisfies a condition. */
  session: (bond, what, holds) =>
    host.until(
      async () => {
        const session = (await host.sessions()).find((one) => one.bond === bond);
        if (session?.status === "ended") throw new Error(`the session ended: ${session.reason}`);
        return session && holds(session) ? session : undefined;
      },
      what,
      { timeoutMs: 60_000 },
    ),
};

const questions = passOnQuestions();
const { bond, thread } = await SCRIPTS[name](agent);
const agreed = await agent.session(bond, "the other ratification", ({ hasReceipt }) => hasReceipt);
const receipt = await host.receipt(bond, thread);
const verified = verifyReceipt(receipt);
say(`verifies the receipt: agreement ${agreed.agreement.slice(0, 16)}…`, "both signatures hold");
tell({ tell: "agreed", receipt, verified });

await hear("goodbye");
await host.close();
await questions;
process.disconnect();
