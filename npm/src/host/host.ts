import { AgentPairError } from "../errors.js";
import type {
  AuditRecord,
  BondView,
  Command,
  Decision,
  Deliverable,
  FeedItem,
  HostView,
  Open,
  OutboxView,
  PairingView,
  SessionView,
  SignedHead,
  TurnKind,
  TurnView,
} from "../wasm/agentpair.js";
import type { HereOptions, ShownItem } from "./decide-here.js";
import { Decisions } from "./decisions.js";
import { isOver } from "./is-over.js";
import { Logs } from "./logs.js";
import { Loop, type LoopParts } from "./loop.js";
import { must } from "./must.js";
import { Pairings } from "./pairings.js";
import type { PinWork } from "./pin-work.js";
import type {
  DecideOptions,
  Invite,
  InviteOptions,
  JoinOptions,
  PageOptions,
  PendingItem,
  SendOptions,
  Sent,
  Taken,
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

/**
 * One side: its identities, bonds, messages and negotiations, and the network that they need.
 *
 * Every method rejects with an {@link AgentPairError}. An open host keeps its process alive: close it.
 */
export class Host {
  readonly #loop: Loop;
  readonly #parts: HostParts;
  readonly #pairings: Pairings;
  readonly #decisions: Decisions;
  readonly #logs: Logs;
  readonly #numbers = new Map<string, Promise<string[]>>();

  protected constructor(parts: HostParts) {
    this.#parts = parts;
    this.#loop = new Loop(parts);
    this.#pairings = new Pairings(this.#loop, parts.relay);
    this.#decisions = new Decisions(this.#loop, parts);
    this.#logs = new Logs(this.#loop, parts.store);
  }

  /** Starts a host on parts of one's own. Applications use `Host.open` of their platform. */
  static async start(parts: HostParts): Promise<Host> {
    return Host.started(new Host(parts));
  }

  /** @internal */
  protected static async started<H extends Host>(host: H, label?: string): Promise<H> {
    try {
      await host.#loop.start();
      if (label !== undefined && label !== (await host.me()).label) await host.setLabel(label);
      return host;
    } catch (error) {
      // Why it could not begin is what the caller has to know.
      await host.close().catch(() => {});
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

  /**
   * Whether what waits at the relays is here, or comes right now: each inbox is being read, by this process or another one
   * of its store, or its relay cannot be reached.
   */
  isListening(): Promise<boolean> {
    return this.#loop.view((engine) => engine.isListening());
  }

  /** Says how the owner wants to be called by peers; nothing if absent. Bonds made from then on are told. */
  async setLabel(label: string | undefined): Promise<void> {
    await this.#loop.command({ command: "label", label });
  }

  // --- Pairing

  /**
   * Makes an invite, and waits until the relay has it. Hand the code over by a way that you trust.
   *
   * @throws AgentPairError `relay_unreachable`, `relay_nonsense` or the relay's error after `timeoutMs` (10 s unless
   * said otherwise); the invite is withdrawn then.
   */
  invite(options: InviteOptions = {}): Promise<Invite> {
    return this.#pairings.invite(options);
  }

  /**
   * Uses a code. Resolves with the id of the pairing at once; {@link Host.bonded} waits for its end, and this
   * side's human decides in between.
   *
   * @throws AgentPairError `code_malformed`, `code_word_unknown`, `code_spent`: nothing was sent, no guess is spent.
   */
  join(code: string, options: JoinOptions = {}): Promise<string> {
    return this.#pairings.join(code, options);
  }

  /**
   * Waits until a pairing is over, and its bond can be used or waits to be verified. Ten minutes unless said otherwise.
   *
   * @throws AgentPairError with the outcome as its code, such as `pake_failed`; `timeout`.
   */
  bonded(pairing: string, options: WaitOptions = {}): Promise<BondView> {
    return this.#pairings.bonded(pairing, options);
  }

  /** All pairings, those that ended not long ago too. */
  pairings(): Promise<PairingView[]> {
    return this.#pairings.all();
  }

  /** One pairing. @throws AgentPairError `pair_not_found`. */
  pairing(pairing: string): Promise<PairingView> {
    return this.#pairings.one(pairing);
  }

  /** Withdraws an invite, or gives up joining. */
  cancel(pairing: string): Promise<void> {
    return this.#pairings.cancel(pairing);
  }

  // --- The human's decisions

  /** What waits for the human, and where the human finds its codes. */
  pendings(): Promise<PendingItem[]> {
    return this.#decisions.pendings();
  }

  /**
   * Decides an item with a code that the human read, and the PIN where one is set.
   *
   * @throws AgentPairError `invalid_approval_code`, `pin_required`, `invalid_pin`, `attempts_exhausted`,
   * `pending_not_found`.
   */
  decide(pending: string, code: string, options: DecideOptions = {}): Promise<Decision> {
    return this.#decisions.decide(pending, code, options);
  }

  /** Decides an item that the human saw on the screen of this process, with codes that nobody sees. */
  protected decideOnScreen(shown: ShownItem, decision: Decision, options: HereOptions): Promise<Decision> {
    return this.#decisions.decideOnScreen(shown, decision, options);
  }

  /**
   * Sets or changes the PIN: from then on nothing is decided without it, and peers are told to take no ratification
   * without it. It cannot be recovered. `current` is the one before, if there is one.
   *
   * @throws AgentPairError `invalid_argument` if it has less than 8 characters, `pin_required`, `invalid_pin`,
   * `not_now` while a ratification is on its way.
   */
  setPin(pin: string, current?: string): Promise<void> {
    return this.#decisions.setPin(pin, current);
  }

  /** Does away with the PIN. @throws AgentPairError `pin_required`, `invalid_pin`, `not_now`. */
  removePin(current: string): Promise<void> {
    return this.#decisions.setPin(undefined, current);
  }

  /** Asks the human again, with new codes. */
  reissue(pending: string): Promise<void> {
    return this.#decisions.reissue(pending);
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
    const { pending } = await this.#loop.command({ command: "verify", bond, number });
    return must(pending);
  }

  /** Calls a peer something else. */
  async rename(bond: string, petname: string): Promise<void> {
    await this.#loop.command({ command: "rename", bond, petname });
  }

  /**
   * Stops the agent on a bond: `send` is refused with `loop_brake` until the human lets it go on. Resolves with the
   * pending item. `why` is shown to the human.
   */
  async brake(bond: string, why: string): Promise<string> {
    const { pending } = await this.#loop.command({ command: "brake", bond, why });
    return must(pending);
  }

  /** Ends a bond, alone and at once. */
  async revoke(bond: string, reason?: string): Promise<void> {
    await this.#loop.command({ command: "revoke", bond, reason });
  }

  // --- Messages

  /** Sends a message. Resolves when it is stored: it will leave even if this process dies now. */
  async send(bond: string, body: string, options: SendOptions = {}): Promise<Sent> {
    const { kind, thread, ttl } = options;
    const reply = await this.#loop.command({ command: "send", bond, body, kind, thread, ttl });
    return { mid: must(reply.mid), id: must(reply.id), thread: must(reply.thread), seq: must(reply.seq) };
  }

  /** Closes a thread. */
  async closeThread(bond: string, thread: string, reason?: string): Promise<void> {
    await this.#loop.command({ command: "close", bond, thread, reason });
  }

  /** Own messages that are not delivered yet. */
  outbox(): Promise<OutboxView[]> {
    return this.#loop.view((engine) => engine.outbox());
  }

  /** Reads what happened, in order: messages, decisions, changes of bonds and sessions. */
  feed(options: PageOptions = {}): Promise<FeedItem[]> {
    return this.#logs.feed(options);
  }

  /** Takes note of the feed up to an entry; peers are told that their words were looked at. */
  async markRead(n: number): Promise<void> {
    await this.#loop.command({ command: "read", upTo: n });
  }

  /**
   * Follows what happens, from this call on, or from after entry `since`. Ends when the host is closed.
   *
   * @throws the reason of the signal, when it is aborted.
   */
  events(options: { since?: number; signal?: AbortSignal } = {}): AsyncGenerator<FeedItem, void, void> {
    return this.#logs.events(options);
  }

  // --- Negotiation

  /** Opens a negotiation. Resolves with its thread. */
  async openSession(bond: string, terms: Open): Promise<string> {
    const { thread } = await this.#loop.command({ command: "open", bond, terms });
    return must(thread);
  }

  /** Takes a turn that puts a text forward. */
  turn(
    bond: string,
    thread: string,
    kind: Exclude<TurnKind, "accept">,
    body: string,
    deliverable: Deliverable,
  ): Promise<Taken> {
    return this.#take({ command: "turn", bond, thread, kind, body, deliverable, sha256: undefined });
  }

  /**
   * Takes a turn that accepts the peer's last text: named by its SHA-256, so that it is the one that was read.
   *
   * @throws AgentPairError `artifact_superseded` if the peer has put another one forward since.
   */
  accept(bond: string, thread: string, sha256: string, body = ""): Promise<Taken> {
    return this.#take({ command: "turn", bond, thread, kind: "accept", body, deliverable: undefined, sha256 });
  }

  /** Signs a deliverable by its SHA-256. When both sides have, each side's human is asked to ratify. */
  async sign(bond: string, thread: string, sha256: string): Promise<{ status: string; agreement: string | undefined }> {
    const { status, agreement } = await this.#loop.command({ command: "sign", bond, thread, sha256 });
    return { status: must(status), agreement };
  }

  /** Asks for more turns; `maxTurns` is the new number of both sides together. Resolves with the pending item. */
  async extend(bond: string, thread: string, maxTurns: number): Promise<string> {
    const { pending } = await this.#loop.command({ command: "extend", bond, thread, maxTurns });
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
    return this.#logs.audit(options);
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
    await this.#loop.command({ command: "restored" });
  }

  /**
   * Looks after every change until `look` finds something. `what` completes "waited in vain for …".
   *
   * @throws AgentPairError `timeout`, `host_closed`; the reason of the signal; whatever `look` throws.
   */
  until<T>(look: () => Promise<T | undefined>, what: string, options: WaitOptions = {}): Promise<T> {
    return waitUntil(this.#loop, look, what, options);
  }

  async #take(command: Command): Promise<Taken> {
    const { turn, sha256 } = await this.#loop.command(command);
    return { turn: must(turn), sha256: must(sha256) };
  }
}
