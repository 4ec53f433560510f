// What must hold, whatever dies: every message once and in order for each thread and sender, `delivered` only after the
// peer has it, one agreement for each negotiation.

const PAGE = 2_000;

/** What one side has sent, and what the other must get. */
export class Direction {
  /** Bodies in the order of sending, by thread. */
  #sent = new Map();
  /** Bodies that may or may not have been stored: the process died while it was told to. */
  #uncertain = new Set();
  #bodies = new Map();

  constructor(from, to) {
    this.from = from;
    this.to = to;
  }

  /** The next body of a thread. Numbers are never used twice. */
  next(thread) {
    const sent = this.#sent.get(thread) ?? [];
    this.#sent.set(thread, sent);
    const body = `${this.from.name} ${thread} ${sent.length + 1}`;
    sent.push(body);
    return body;
  }

  stored(body, mid) {
    this.#bodies.set(mid, body);
  }

  mayBeLost(body) {
    this.#uncertain.add(body);
  }

  get count() {
    return [...this.#sent.values()].flat().length;
  }

  /** Messages that the other side must have and has not. */
  missing(feed) {
    const got = new Set(feed.messages.map(({ body }) => body));
    return [...this.#sent.values()].flat().filter((body) => !got.has(body) && !this.#uncertain.has(body));
  }

  /** Violations in what is there so far. */
  check(sender, receiver) {
    const violations = [];
    const at = new Map();
    for (const thread of this.#sent.keys()) {
      const got = receiver.messages.filter((message) => message.thread === thread);
      const bodies = got.map(({ body }) => body);
      for (const message of got) {
        if (at.has(message.body)) violations.push(`twice: ${message.body}`);
        at.set(message.body, message.at);
      }
      // In order, and with no gap before what is there, but for what may never have been stored.
      const expected = this.#sent.get(thread);
      let next = 0;
      for (const body of bodies) {
        const found = expected.indexOf(body, next);
        if (found < 0) violations.push(`out of order, or never sent: ${body} on ${thread}`);
        else {
          const lost = expected.slice(next, found).filter((one) => !this.#uncertain.has(one));
          if (lost.length > 0) violations.push(`passed over: ${lost} before ${body}`);
          next = found + 1;
        }
      }
    }
    const ended = new Map();
    for (const { mid, state, at: told, code } of sender.deliveries) {
      const body = this.#bodies.get(mid);
      if (body === undefined) continue;
      if (ended.has(mid)) violations.push(`${state} after ${ended.get(mid)}: ${body}`);
      if (state === "relayed") continue;
      ended.set(mid, state);
      if (state !== "delivered") violations.push(`${state} ${code ?? ""}: ${body}`);
      else if (!(at.get(body) <= told)) violations.push(`told as delivered before it was: ${body}`);
    }
    return violations;
  }

  /** Messages whose delivery the sender has been told of. */
  delivered(sender) {
    return sender.deliveries.filter(({ mid, state }) => state === "delivered" && this.#bodies.has(mid)).length;
  }
}

/** What a host's feed says. */
export class Feed {
  messages = [];
  deliveries = [];
  sessions = [];
  violations = [];
  #last = 0;

  constructor(host) {
    this.host = host;
  }

  /** Reads on. */
  async read() {
    for (;;) {
      const items = await this.host.call("feed", { since: this.#last, limit: PAGE });
      for (const { n, at, event } of items) {
        if (n !== this.#last + 1) this.violations.push(`feed of ${this.host.name}: ${n} after ${this.#last}`);
        this.#last = n;
        if (event.event === "message") this.messages.push({ at, ...event });
        else if (event.event === "delivery") this.deliveries.push({ at, ...event });
        else if (event.event === "session") this.sessions.push({ at, ...event });
        else if (event.event === "refused") {
          this.violations.push(`${this.host.name} refused ${event.code} on ${event.thread}`);
        }
      }
      if (items.length < PAGE) return this;
    }
  }
}
