import { AgentPairError, asAgentPairError } from "../errors.js";
import type { LogName } from "../store/store.js";
import {
  type AuditRecord,
  auditRecord,
  type BondView,
  type Command,
  type Decision,
  type Deliverable,
  type FeedItem,
  feedItem,
  type HostView,
  type Open,
  type OutboxView,
  type PairingView,
  parseCode,
  type Reply,
  type SessionView,
  type SignedHead,
  type TurnKind,
  type TurnView,
} from "../wasm/agentpair.js";
import { decideHere, type HereOptions, notWaiting, type ShownItem } from "./decide-here.js";
import { isOver } from "./is-over.js";
import { hostClosed, Loop, type LoopParts } from "./loop.js";
import { pairingFailed, relayFailed } from "./pairing.js";
import { type PinWork, type ProveTask, prove } from "./pin-work.js";
import type {
  DecideOptions,
  Invite,
  InviteOptions,
  JoinOptions,
  PageOptions,
  PendingItem,
  SendOptions,
  Sent,
} from "./types.js";
import { type WaitOptions, waitUntil } from "./wait.js";

/** What {@link Host.start} needs. */
export interface HostParts extends LoopParts {
  /** Base URL of the relay for new pairings; empty if each pairing has to name its own. */
  relay: string;
  /** Computes the safety number of two agent ids: five groups of six digits. */
  safetyNumber: (own: string, peer: string) => Promise<string[]>;
  /** Does the slow work with a PIN; in the engine, on this thread, unless said otherwise. */
  pinWork?: PinWork | undefined;
}

/** Entries of the feed that are read at once while following it. */
const PAGE = 256;

/**
 * One side: its identities, bonds, messages and negotiations, and the network that they need.
 *
 * Every method rejects with an {@link AgentPairError}. An open host keeps its process alive: close it.
 */
export class Host {
  readonly #loop: Loop;
  readonly #parts: HostParts;
  readonly #numbers = new Map<string, Promise<string[]>>();

  protected constructor(parts: HostParts) {
    this.#parts = parts;
    this.#loop = new Loop(parts);
  }

  /** Starts a host on parts of one's own. Applications use `Host.open` of their platform. */
  static async start(parts: HostParts): Promise<Host> {
    return Host.started(new Host(parts));
  }

  /** @internal */
  protected static async started<H extends Host>(host: H): Promise<H> {
    try {
      await host.#loop.start();
      return host;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  /** Base URL of the relay for new pairings; empty if there is none. */
  get relay(): string {
    return this.#parts.relay;
  }

  /** Ends this host: nothing is lost, and what was under way goes on when it is opened again. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  /** This host's root identity, and the lengths of its logs. */
  me(): Promise<HostView> {
    return this.#loop.view((engine) => engine.host());
  }

  /** Says how the owner wants to be called by peers; nothing if absent. Bonds made from then on are told. */
  async setLabel(label: string | undefined): Promise<void> {
    await this.#command({ command: "label", label });
  }

  // --- Pairing

  /**
   * Makes an invite, and waits until the relay has it. Hand the code over by a way that you trust.
   *
   * @throws AgentPairError `relay_unreachable`, `relay_nonsense` or the relay's error after `timeoutMs` (10 s unless
   * said otherwise); the invite is withdrawn then.
   */
  async invite(options: InviteOptions = {}): Promise<Invite> {
    const { timeoutMs = 10_000, signal } = options;
    const relay = options.relay ?? this.relay;
    if (relay === "") throw noRelay();
    const { pairing } = await this.#command({
      command: "invite",
      form: options.form ?? "words",
      scope: options.scope ?? ["message", "negotiate"],
      mode: options.mode ?? "bonded_contact",
      relay,
      petname: options.petname,
    });
    const id = must(pairing);
    const published = async () => {
      const view = await this.pairing(id);
      if (view.outcome !== undefined) throw pairingFailed(view.outcome);
      return view.code === undefined ? undefined : { pairing: id, code: view.code, expiresAt: view.expiresAt };
    };
    try {
      return await waitUntil(this.#loop, published, "the relay", { timeoutMs, signal });
    } catch (error) {
      const view = await this.#giveUp(id).catch(() => undefined);
      const isLate = error instanceof AgentPairError && error.code === "timeout";
      throw isLate && view ? relayFailed(view, timeoutMs / 1000) : error;
    }
  }

  /** Withdraws an invite that came to nothing, and tells how it stood. */
  async #giveUp(pairing: string): Promise<PairingView> {
    const view = await this.pairing(pairing);
    if (view.outcome === undefined) await this.cancel(pairing);
    return view;
  }

  /**
   * Uses a code. Resolves with the id of the pairing at once; {@link Host.bonded} waits for its end, and this
   * side's human decides in between.
   *
   * @throws AgentPairError `code_malformed`, `code_word_unknown`, `code_spent`: nothing was sent, no guess is spent.
   */
  async join(code: string, options: JoinOptions = {}): Promise<string> {
    const relay = options.relay ?? this.relay;
    if (relay === "" && !namesRelay(code)) throw noRelay();
    const { pairing } = await this.#command({ command: "join", code, relay, petname: options.petname });
    return must(pairing);
  }

  /**
   * Waits until a pairing is over, and its bond can be used or waits to be verified. Ten minutes unless said otherwise.
   *
   * @throws AgentPairError with the outcome as its code, such as `pake_failed`; `timeout`.
   */
  async bonded(pairing: string, options: WaitOptions = {}): Promise<BondView> {
    const look = async () => {
      const { outcome, bond } = await this.pairing(pairing);
      if (outcome !== undefined && outcome !== "bonded") throw pairingFailed(outcome);
      if (bond === undefined) return undefined;
      const view = (await this.bonds()).find(({ id }) => id === bond);
      if (view?.status === "failed") throw pairingFailed("bond_incomplete");
      return view?.status === "pending" ? undefined : view;
    };
    return waitUntil(this.#loop, look, "the other side", { timeoutMs: 600_000, ...options });
  }

  /** All pairings, those that ended not long ago too. */
  pairings(): Promise<PairingView[]> {
    return this.#loop.view((engine) => engine.pairings());
  }

  /** One pairing. @throws AgentPairError `pair_not_found`. */
  async pairing(pairing: string): Promise<PairingView> {
    const view = (await this.pairings()).find(({ id }) => id === pairing);
    if (!view) throw new AgentPairError("pair_not_found", "policy", `no pairing ${pairing}`);
    return view;
  }

  /** Withdraws an invite, or gives up joining. */
  async cancel(pairing: string): Promise<void> {
    await this.#command({ command: "cancel_pairing", pairing });
  }

  // --- The human's decisions

  /** What waits for the human, and where the human finds its codes. */
  async pendings(): Promise<PendingItem[]> {
    const views = await this.#loop.view((engine) => engine.pendings());
    return views.map((view) => ({ ...view, place: this.#parts.human.place(view.id) }));
  }

  /**
   * Decides an item with a code that the human read, and the PIN where one is set.
   *
   * @throws AgentPairError `invalid_approval_code`, `pin_required`, `invalid_pin`, `attempts_exhausted`,
   * `pending_not_found`.
   */
  async decide(pending: string, code: string, options: DecideOptions = {}): Promise<Decision> {
    const { channel = "file", reason, decision, pin } = options;
    const proof = pin === undefined ? undefined : await this.#prove({ pending, by: { code }, pin });
    const reply = await this.#command({ command: "decide", pending, code, channel, reason, decision, proof });
    return decided(reply, decision);
  }

  /** Decides an item that the human saw on the screen of this process, with codes that nobody sees. */
  protected async decideOnScreen(shown: ShownItem, decision: Decision, options: HereOptions): Promise<Decision> {
    const { reason, pin } = options;
    // Looked at first: to prove something is slow, and something that is over cannot be proved.
    const waits = (await this.pendings()).some(({ id, digest }) => id === shown.id && digest === shown.digest);
    if (!waits) throw notWaiting();
    const proof = pin === undefined ? undefined : await this.#prove({ pending: shown.id, by: { decision }, pin });
    const outcome = await this.#loop.act(decideHere(shown, decision, { reason: reason || undefined, proof }));
    if ("refusal" in outcome) throw outcome.refusal;
    return decided(outcome.reply, decision);
  }

  async #prove(task: ProveTask): Promise<string> {
    const { pinWork } = this.#parts;
    if (pinWork) return (await pinWork.prove(await this.#loop.records(), task)) ?? "";
    const { pending, by, pin } = task;
    // Where code or PIN is wrong there is no proof: the engine finds out which, and counts it.
    if ("code" in by) return this.#loop.view((engine) => engine.prove(pending, by.code, pin) ?? "");
    return prove(await this.#loop.records(), task) ?? "";
  }

  /**
   * Sets or changes the PIN: from then on nothing is decided without it, and peers are told to take no ratification
   * without it. It cannot be recovered. `current` is the one before, if there is one.
   *
   * @throws AgentPairError `invalid_argument` if it has less than 8 characters, `pin_required`, `invalid_pin`,
   * `not_now` while a ratification is on its way.
   */
  async setPin(pin: string, current?: string): Promise<void> {
    await this.#command(await this.#approver(pin, current));
  }

  /** Does away with the PIN. @throws AgentPairError `pin_required`, `invalid_pin`, `not_now`. */
  async removePin(current: string): Promise<void> {
    await this.#command(await this.#approver(undefined, current));
  }

  async #approver(pin: string | undefined, current: string | undefined): Promise<Command> {
    const { pinWork } = this.#parts;
    if (pinWork) return pinWork.approver(await this.#loop.records(), pin, current);
    return this.#loop.view((engine) => engine.approverCommand(pin, current));
  }

  /** Asks the human again, with new codes. */
  async reissue(pending: string): Promise<void> {
    await this.#command({ command: "reissue", pending });
  }

  // --- Bonds

  /** All bonds. */
  bonds(): Promise<BondView[]> {
    return this.#loop.view((engine) => engine.bonds());
  }

  /** One bond, by id or petname. @throws AgentPairError `bond_not_found`. */
  async bond(bond: string): Promise<BondView> {
    const bonds = await this.bonds();
    const called = bonds.filter(({ petname }) => petname === bond);
    const view = bonds.find(({ id }) => id === bond) ?? called.find((view) => !isOver(view)) ?? called.at(-1);
    if (!view) throw new AgentPairError("bond_not_found", "policy", `no bond ${bond}`);
    return view;
  }

  /**
   * The safety number of a bond: five groups of six digits, the same on both sides. Slow to compute, on purpose.
   *
   * @throws AgentPairError `bond_not_found`, `safety_unavailable`.
   */
  async safetyNumber(bond: string): Promise<string[]> {
    const { id, own, peer } = await this.bond(bond);
    const number = this.#numbers.get(id) ?? this.#parts.safetyNumber(own, peer);
    this.#numbers.set(id, number);
    number.catch(() => this.#numbers.delete(id));
    return number;
  }

  /** Asks this side's human to confirm that both sides see the same safety number. Resolves with the pending item. */
  async verify(bond: string): Promise<string> {
    const number = (await this.safetyNumber(bond)).join(" ");
    const { pending } = await this.#command({ command: "verify", bond, number });
    return must(pending);
  }

  /** Calls a peer something else. */
  async rename(bond: string, petname: string): Promise<void> {
    await this.#command({ command: "rename", bond, petname });
  }

  /**
   * Stops the agent on a bond: `send` is refused with `loop_brake` until the human lets it go on. Resolves with the
   * pending item. `why` is shown to the human.
   */
  async brake(bond: string, why: string): Promise<string> {
    const { pending } = await this.#command({ command: "brake", bond, why });
    return must(pending);
  }

  /** Ends a bond, alone and at once. */
  async revoke(bond: string, reason?: string): Promise<void> {
    await this.#command({ command: "revoke", bond, reason });
  }

  // --- Messages

  /** Sends a message. Resolves when it is stored: it will leave even if this process dies now. */
  async send(bond: string, body: string, options: SendOptions = {}): Promise<Sent> {
    const { kind, thread, ttl } = options;
    const reply = await this.#command({ command: "send", bond, body, kind, thread, ttl });
    return { mid: must(reply.mid), id: must(reply.id), thread: must(reply.thread), seq: must(reply.seq) };
  }

  /** Closes a thread. */
  async closeThread(bond: string, thread: string, reason?: string): Promise<void> {
    await this.#command({ command: "close", bond, thread, reason });
  }

  /** Own messages that are not delivered yet. */
  outbox(): Promise<OutboxView[]> {
    return this.#loop.view((engine) => engine.outbox());
  }

  /** Reads what happened, in order: messages, decisions, changes of bonds and sessions. */
  feed(options: PageOptions = {}): Promise<FeedItem[]> {
    return this.#read("feed", feedItem, options);
  }

  /** Takes note of the feed up to an entry; peers are told that their words were looked at. */
  async markRead(n: number): Promise<void> {
    await this.#command({ command: "read", upTo: n });
  }

  /**
   * Follows what happens, from this call on, or from after entry `since`. Ends when the host is closed.
   *
   * @throws the reason of the signal, when it is aborted.
   */
  events(options: { since?: number; signal?: AbortSignal } = {}): AsyncGenerator<FeedItem, void, void> {
    const since = options.since ?? this.me().then(({ feed }) => feed);
    // Whoever never asks for an event has no use for the error either.
    Promise.resolve(since).catch(() => {});
    return this.#follow(since, options.signal);
  }

  async *#follow(
    since: number | Promise<number>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<FeedItem, void, void> {
    let last = await since;
    const look = async () => {
      if (this.#loop.isClosed) return [];
      const items = await this.feed({ since: last, limit: PAGE });
      return items.length > 0 ? items : undefined;
    };
    while (!this.#loop.isClosed) {
      for (const item of await waitUntil(this.#loop, look, "an event", { signal })) {
        yield item;
        last = item.n;
      }
    }
  }

  // --- Negotiation

  /** Opens a negotiation. Resolves with its thread. */
  async openSession(bond: string, terms: Open): Promise<string> {
    const { thread } = await this.#command({ command: "open", bond, terms });
    return must(thread);
  }

  /** Takes a turn. Resolves with its number, and the hash of the deliverable where there is one. */
  async turn(
    bond: string,
    thread: string,
    kind: TurnKind,
    body: string,
    deliverable?: Deliverable,
  ): Promise<{ turn: number; sha256: string | undefined }> {
    const { turn, sha256 } = await this.#command({ command: "turn", bond, thread, kind, body, deliverable });
    return { turn: must(turn), sha256 };
  }

  /** Signs a deliverable by its SHA-256. When both sides have, each side's human is asked to ratify. */
  async sign(bond: string, thread: string, sha256: string): Promise<{ status: string; agreement: string | undefined }> {
    const { status, agreement } = await this.#command({ command: "sign", bond, thread, sha256 });
    return { status: must(status), agreement };
  }

  /** Asks for more turns; `maxTurns` is the new number of both sides together. Resolves with the pending item. */
  async extend(bond: string, thread: string, maxTurns: number): Promise<string> {
    const { pending } = await this.#command({ command: "extend", bond, thread, maxTurns });
    return must(pending);
  }

  /** All sessions. */
  sessions(): Promise<SessionView[]> {
    return this.#loop.view((engine) => engine.sessions());
  }

  /** One session, if there is one on that thread. */
  session(bond: string, thread: string): Promise<SessionView | undefined> {
    return this.#loop.view((engine) => engine.session(bond, thread));
  }

  /** The turns of a session. */
  turns(bond: string, thread: string): Promise<TurnView[]> {
    return this.#loop.view((engine) => engine.turns(bond, thread));
  }

  /** A deliverable of a session with its bytes, by its SHA-256. */
  deliverable(bond: string, thread: string, sha256: string): Promise<Deliverable | undefined> {
    return this.#loop.view((engine) => engine.deliverable(bond, thread, sha256));
  }

  /** The receipt of an agreed session: JSON text that proves itself, see `verifyReceipt`. */
  receipt(bond: string, thread: string): Promise<string | undefined> {
    return this.#loop.view((engine) => engine.receipt(bond, thread));
  }

  // --- The rest

  /** Reads the audit log. */
  audit(options: PageOptions = {}): Promise<AuditRecord[]> {
    return this.#read("audit", auditRecord, options);
  }

  /** The head of the audit log, signed: it shows later whether this part of the log was altered. */
  auditHead(): Promise<SignedHead> {
    return this.#loop.view((engine) => engine.auditHead(Date.now()));
  }

  /**
   * To be called once on a store that was just restored from a backup: what was done since then is unknown here, and
   * nothing of it may be done twice. Counters jump, pairings are given up, open sessions end, peers are told.
   */
  async afterRestore(): Promise<void> {
    await this.#command({ command: "restored" });
  }

  /**
   * Looks after every change until `look` finds something. `what` completes "waited in vain for …".
   *
   * @throws AgentPairError `timeout`, `host_closed`; the reason of the signal; whatever `look` throws.
   */
  until<T>(look: () => Promise<T | undefined>, what: string, options: WaitOptions = {}): Promise<T> {
    return waitUntil(this.#loop, look, what, options);
  }

  #command(command: Command): Promise<Reply> {
    return this.#loop.step({ input: "command", command });
  }

  async #read<T>(log: LogName, parse: (value: string) => T, { since = 0, limit = PAGE }: PageOptions): Promise<T[]> {
    try {
      const entries = await this.#parts.store.entries(log, since, limit);
      return entries.map(({ value }) => parse(value));
    } catch (error) {
      throw this.#loop.isClosed ? hostClosed() : asAgentPairError(error);
    }
  }
}

/** What came of a decision. @throws AgentPairError `invalid_pin`, `invalid_approval_code`. */
function decided(reply: Reply, decision: Decision | undefined): Decision {
  if (reply.decision !== undefined) return reply.decision;
  // Not a refusal of the engine: it has to remember that somebody guessed.
  const left = `${reply.attemptsLeft ?? 0} more may be tried today`;
  if (reply.wrong === "pin") throw new AgentPairError("invalid_pin", "policy", `the PIN is wrong; ${left}`);
  const what = decision === undefined ? "a code of that question" : `the code of that question to ${decision}`;
  throw new AgentPairError("invalid_approval_code", "policy", `this is not ${what}; ${left}`);
}

/** Whether a code says itself which relay it is for. What is no code at all, the engine explains. */
function namesRelay(code: string): boolean {
  try {
    return parseCode(code).relay !== undefined;
  } catch {
    return true;
  }
}

function noRelay(): AgentPairError {
  const text = "no relay was named: say which one, such as https://relay.example, or use a link that names it";
  return new AgentPairError("invalid_argument", "caller", text);
}

/** A member that the engine's documentation promises. */
function must<T>(value: T | undefined): T {
  if (value === undefined) throw new AgentPairError("invariant_broken", "bug", "the engine's reply is incomplete");
  return value;
}
