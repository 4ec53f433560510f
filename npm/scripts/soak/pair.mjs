// Two hosts that are bonded, and never stop talking and agreeing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Direction, Feed } from "./checker.mjs";
import { Gone, Host } from "./processes.mjs";

/** No negotiation, and no message, takes longer than this, whatever dies meanwhile. */
const STALL_MS = 180_000;
/** More messages than this are not left waiting. */
const WAITING = 100;
const THREADS = ["one", "two", "three"];

const DELIVERABLE = {
  kind: "json",
  media_type: "application/json",
  name: "order-fields.json",
  text: readFileSync(new URL("../../../examples/order-api/counter.json", import.meta.url), "utf8"),
};

const terms = () => ({
  goal: "Agree on the fields of an order",
  acceptance: [],
  budget: { max_turns: 4, deadline: new Date(Date.now() + 3_600_000).toISOString() },
  mandate: { agent_may: [], human_required: ["ratify"] },
});

export class Pair {
  agreements = 0;
  violations = [];
  #isOver = false;

  constructor(name, directory, relay, random) {
    this.name = name;
    this.random = random;
    this.hosts = ["a", "b"].map((side) => new Host(`${name}${side}`, join(directory, `${name}${side}`), relay));
    this.feeds = this.hosts.map((host) => new Feed(host));
    const [a, b] = this.hosts;
    this.directions = [new Direction(a, b), new Direction(b, a)];
  }

  /** Starts both, and bonds them. */
  async start() {
    await Promise.all(this.hosts.map((host) => host.start()));
    const [a, b] = this.hosts;
    const { pairing, code } = await a.call("invite", { timeoutMs: 60_000 });
    const joining = await b.call("join", code);
    const pairings = [pairing, joining];
    this.bonds = await Promise.all(
      this.hosts.map((host, side) =>
        this.#until(`the bond of ${host.name}`, async () => {
          await host.approve("join");
          const { outcome, bond } = await host.call("pairing", pairings[side]);
          if (outcome !== undefined && outcome !== "bonded") throw new Error(`${host.name}: ${outcome}`);
          const found = (await host.call("bonds")).find(({ id, status }) => id === bond && status === "active");
          return found?.id;
        }),
      ),
    );
  }

  /** Talks and agrees until it is told to end; then sees to it that everything arrives. */
  async run() {
    await Promise.all([this.#talk(0), this.#talk(1), this.#negotiate()]);
    for (const [side, host] of this.hosts.entries()) {
      const { to } = this.directions[side];
      const feed = this.feeds[this.hosts.indexOf(to)];
      await this.#until(`the messages of ${host.name}`, async () => {
        const missing = this.directions[side].missing(await feed.read());
        return missing.length === 0 && (await host.call("outbox")).length === 0 ? true : undefined;
      });
    }
  }

  end() {
    this.#isOver = true;
  }

  /** Reads both feeds on. What does not hold is kept in `violations`. */
  async check() {
    for (const feed of this.feeds) await feed.read();
    const [a, b] = this.feeds;
    this.violations = [
      ...a.violations,
      ...b.violations,
      ...this.directions[0].check(a, b),
      ...this.directions[1].check(b, a),
      ...this.feeds.flatMap(({ host, sessions }) => {
        const agreed = sessions.filter(({ status }) => status === "agreed").map(({ thread }) => thread);
        const twice = agreed.filter((thread, n) => agreed.indexOf(thread) !== n);
        return twice.map((thread) => `agreed twice at ${host.name}: ${thread}`);
      }),
    ];
  }

  get counts() {
    return {
      sent: this.directions[0].count + this.directions[1].count,
      received: this.feeds[0].messages.length + this.feeds[1].messages.length,
      delivered: this.directions[0].delivered(this.feeds[0]) + this.directions[1].delivered(this.feeds[1]),
    };
  }

  async #talk(side) {
    const [direction, host, random] = [this.directions[side], this.hosts[side], this.random];
    while (!this.#isOver) {
      await pause(random(10, 250));
      const thread = THREADS[random(0, THREADS.length - 1)];
      const isFull = async () => (await host.call("outbox")).length >= WAITING;
      if (random(0, 9) === 0 && (await isFull().catch(() => true))) {
        await pause(1_000);
        continue;
      }
      const body = direction.next(thread);
      try {
        const { mid } = await host.call("send", this.bonds[side], body, { thread });
        direction.stored(body, mid);
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
        direction.mayBeLost(body);
      }
    }
  }

  /** One negotiation after the other, each side opening every other one. */
  async #negotiate() {
    for (let n = 0; !this.#isOver; n += 1) {
      const [opener, other] = n % 2 === 0 ? [0, 1] : [1, 0];
      const known = new Set((await this.#sessions(opener)).map(({ thread }) => thread));
      const thread = await this.#until("an opening", async () => {
        const opened = (await this.#sessions(opener)).find((session) => !known.has(session.thread));
        return opened?.thread ?? (await this.hosts[opener].call("openSession", this.bonds[opener], terms()));
      });
      const receipts = await this.#until(`an agreement on ${thread}`, () => this.#step(opener, other, thread));
      if (receipts[0] !== receipts[1]) throw new Error(`${this.name}: two receipts of ${thread}`);
      this.agreements += 1;
    }
  }

  async #sessions(side) {
    return this.#until("the sessions", () => this.hosts[side].call("sessions"));
  }

  /** Does whatever is next in a negotiation. Both receipts, once it is over. */
  async #step(opener, other, thread) {
    const [mine, theirs] = [this.hosts[opener], this.hosts[other]];
    const [here, there] = await Promise.all(
      [opener, other].map((side) => this.hosts[side].call("session", this.bonds[side], thread)),
    );
    for (const session of [here, there]) {
      if (session?.status === "ended") throw new Error(`${this.name}: ${thread} ended, ${session.reason}`);
    }
    if (here?.status === "agreed" && there?.status === "agreed") {
      return Promise.all([opener, other].map((side) => this.hosts[side].call("receipt", this.bonds[side], thread)));
    }
    const call = (side, method, ...all) => this.hosts[side].call(method, this.bonds[side], thread, ...all);
    const offered = async () => (await call(other, "turns"))[0].deliverable.sha256;
    await theirs.approve("open");
    if (here?.status === "live" && here.turns === 0) await call(opener, "turn", "propose", "These.", DELIVERABLE);
    if (there?.status === "live" && there.turns === 1 && there.yourTurn) {
      await call(other, "accept", await offered(), "Agreed.");
    }
    if (there?.status === "live" && there.turns === 2 && !there.signedByMe) await call(other, "sign", await offered());
    if (here?.status === "live" && here.signedByPeer && !here.signedByMe) await call(opener, "sign", here.signedByPeer);
    await mine.approve("ratify");
    await theirs.approve("ratify");
    return undefined;
  }

  /** Tries again and again. A host that is gone comes back. */
  async #until(what, look) {
    const end = Date.now() + STALL_MS;
    for (;;) {
      try {
        const seen = await look();
        if (seen !== undefined) return seen;
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
      }
      if (Date.now() > end) throw new Error(`${this.name}: waited in vain for ${what}`);
      await pause(100);
    }
  }
}
