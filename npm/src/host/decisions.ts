import { AgentPairError } from "../errors.js";
import type { Command, Decision, Reply } from "../wasm/agentpair.js";
import { decideHere, type HereOptions, notWaiting, type ShownItem } from "./decide-here.js";
import type { Human } from "./human.js";
import type { Loop } from "./loop.js";
import { type PinWork, type ProveTask, prove } from "./pin-work.js";
import type { DecideOptions, PendingItem } from "./types.js";

/** What waits for the human of a host, and how the human decides it: by a code or on a screen, and by a PIN. */
export class Decisions {
  readonly #loop: Loop;
  readonly #human: Human;
  readonly #pinWork: PinWork | undefined;

  constructor(loop: Loop, { human, pinWork }: { human: Human; pinWork?: PinWork | undefined }) {
    this.#loop = loop;
    this.#human = human;
    this.#pinWork = pinWork;
  }

  async pendings(): Promise<PendingItem[]> {
    const views = await this.#loop.view((engine) => engine.pendings());
    return views.map((view) => ({ ...view, place: this.#human.place(view.id) }));
  }

  /** Decides with a code. */
  async decide(
    pending: string,
    code: string,
    { channel = "file", reason, decision, pin }: DecideOptions,
  ): Promise<Decision> {
    const proof = pin === undefined ? undefined : await this.#prove({ pending, by: { code }, pin });
    const reply = await this.#loop.command({ command: "decide", pending, code, channel, reason, decision, proof });
    return decided(reply, decision);
  }

  /** Decides what the human saw on a screen, with codes that nobody sees. */
  async decideOnScreen(shown: ShownItem, decision: Decision, { reason, pin }: HereOptions): Promise<Decision> {
    // Looked at first: to prove something is slow, and something that is over cannot be proved.
    const waits = (await this.pendings()).some(({ id, digest }) => id === shown.id && digest === shown.digest);
    if (!waits) throw notWaiting();
    const proof = pin === undefined ? undefined : await this.#prove({ pending: shown.id, by: { decision }, pin });
    const outcome = await this.#loop.act(decideHere(shown, decision, { reason: reason || undefined, proof }));
    if ("refusal" in outcome) throw outcome.refusal;
    return decided(outcome.reply, decision);
  }

  /** Where code or PIN is wrong there is no proof: the engine finds out which, and counts it. */
  async #prove(task: ProveTask): Promise<string> {
    if (this.#pinWork) return (await this.#pinWork.prove(await this.#loop.records(), task)) ?? "";
    const { pending, by, pin } = task;
    if ("code" in by) return this.#loop.view((engine) => engine.prove(pending, by.code, pin) ?? "");
    return prove(await this.#loop.records(), task) ?? "";
  }

  /** Sets or changes the PIN; does away with it if there is no new one. `current` is the one before. */
  async setPin(pin: string | undefined, current: string | undefined): Promise<void> {
    await this.#loop.command(await this.#approver(pin, current));
  }

  async #approver(pin: string | undefined, current: string | undefined): Promise<Command> {
    if (this.#pinWork) return this.#pinWork.approver(await this.#loop.records(), pin, current);
    return this.#loop.view((engine) => engine.approverCommand(pin, current));
  }

  async reissue(pending: string): Promise<void> {
    await this.#loop.command({ command: "reissue", pending });
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
