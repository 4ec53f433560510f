// Two agents of two owners pair over a local relay, negotiate the fields of an API, and agree, with both humans in
// charge. The agents are two processes with data directories of their own; this process is the relay's keeper and both
// humans: it reads each host's approval files, as they would. Needs `make build`; takes about ten seconds.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { verifyReceipt } from "agentpair";
import { stopAll } from "./children.mjs";
import { startAgent, startRelay } from "./demo/child.mjs";
import { Transcript } from "./demo/transcript.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
const LIMIT_MS = 120_000;

const transcript = new Transcript();
const scratch = mkdtempSync(join(tmpdir(), "agentpair-demo-"));

async function demo() {
  transcript.add("demo", "starts a relay", "a real one, on this machine");
  const relay = await startRelay(join(import.meta.dirname, "relay.mjs"), join(scratch, "relay"));
  transcript.add("demo", `the relay answers at ${relay}`, "it will see who writes to whom, not what");
  const sides = ["Alice", "Bob"].map((name) => new Side(name, relay));
  const [alice, bob] = sides;

  // By voice, from human to human.
  const code = await alice.code;
  transcript.add("Alice's human", `says to Bob's human: “${code}”`, "the relay never sees the words");
  bob.tell({ hear: "code", code });

  const numbers = await Promise.all(sides.map(({ safety }) => safety));
  if (numbers[0].join() !== numbers[1].join()) throw new Error("the safety numbers differ");
  for (const [n, side] of sides.entries()) {
    const what = `reads out the safety number ${numbers[n].join(" ")}`;
    transcript.add(`${side.name}'s human`, what, "the same on both sides: nobody is between");
  }

  const [one, other] = await Promise.all(sides.map(({ agreed }) => agreed));
  const [verified, again] = [one, other].map(({ receipt }) => verifyReceipt(receipt));
  for (const field of ["agreement", "sha256", "initiator", "recipient"]) {
    const values = [one.verified, other.verified, verified, again].map((each) => each[field]);
    if (new Set(values).size !== 1) throw new Error(`the receipts differ: ${field} ${values}`);
  }
  transcript.save(process.env.DEMO_TRANSCRIPT ?? join(ROOT, "demo-transcript.json"), {
    safety_number: numbers[0].join(" "),
    agreement: verified.agreement,
    sha256: verified.sha256,
    receipt: JSON.parse(one.receipt),
  });
  await Promise.all(sides.map((side) => side.leave()));
  return verified.sha256;
}

/** One human with one agent. */
class Side {
  constructor(name, relay) {
    this.name = name;
    const directory = join(scratch, name.toLowerCase());
    this.process = startAgent(join(import.meta.dirname, "demo/agent.mjs"), name, directory, relay);
    const failed = new Promise((_, fail) => {
      this.process.once("exit", (status, signal) =>
        fail(new Error(`${name}'s agent ended early, with ${signal ?? `status ${status}`}`)),
      );
    });
    failed.catch(() => {});
    const told = (sort, pick) => {
      const message = new Promise((resolve) => {
        this.process.on("message", (message) => {
          if (message.tell === sort) resolve(pick(message));
        });
      });
      return Promise.race([message, failed]);
    };
    this.code = told("code", ({ code }) => code);
    this.safety = told("safety", ({ number }) => number);
    this.agreed = told("agreed", (message) => message);
    for (const promise of [this.code, this.safety, this.agreed]) promise.catch(() => {});
    this.process.on("message", (message) => {
      if (message.tell === "did") transcript.add(name, message.what, message.why);
      else if (message.tell === "question") this.decide(message);
    });
  }

  tell(message) {
    // If it is gone, its end is told elsewhere.
    this.process.send(message, () => {});
  }

  /** Reads the approval file of the own host, as the human would, and hands the code to the own agent. */
  decide({ question, place }) {
    const [, code] = /^approve: (\d{6})$/m.exec(readFileSync(place, "utf8"));
    transcript.add(`${this.name}'s human`, `reads: ${question}`, "and types the code that approves");
    this.tell({ hear: "decision", code });
  }

  async leave() {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.tell({ hear: "goodbye" });
    await gone;
  }
}

async function finish() {
  await stopAll(5_000);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await finish();
    process.exit(130);
  });
}
const limit = new Promise((_, fail) => {
  setTimeout(() => fail(new Error(`not done after ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref();
});
try {
  const sha256 = await Promise.race([demo(), limit]);
  console.log(`agreed ${sha256}`);
} catch (error) {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
} finally {
  await finish();
}
