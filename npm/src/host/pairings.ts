import { AgentPairError } from "../errors.js";
import { type BondView, type PairingView, parseCode } from "../wasm/agentpair.js";
import type { Loop } from "./loop.js";
import { must } from "./must.js";
import { pairingFailed, relayFailed } from "./pairing.js";
import type { Invite, InviteOptions, JoinOptions } from "./types.js";
import { type WaitOptions, waitUntil } from "./wait.js";

/** How two sides become a bond: what a host does from an invite, or a code, to the end. */
export class Pairings {
  readonly #loop: Loop;
  readonly #relay: string;

  /** @param relay base URL of the relay unless said otherwise; empty if there is none. */
  constructor(loop: Loop, relay: string) {
    this.#loop = loop;
    this.#relay = relay;
  }

  async invite({ timeoutMs = 10_000, signal, ...options }: InviteOptions): Promise<Invite> {
    const relay = options.relay ?? this.#relay;
    if (relay === "") throw noRelay();
    const { pairing } = await this.#loop.command({
      command: "invite",
      form: options.form ?? "words",
      scope: options.scope ?? ["message", "negotiate"],
      mode: options.mode ?? "bonded_contact",
      relay,
      petname: options.petname,
    });
    const id = must(pairing);
    const published = async () => {
      const view = await this.one(id);
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
    const view = await this.one(pairing);
    if (view.outcome === undefined) await this.cancel(pairing);
    return view;
  }

  async join(code: string, options: JoinOptions): Promise<string> {
    const relay = options.relay ?? this.#relay;
    if (relay === "" && !namesRelay(code)) throw noRelay();
    const { pairing } = await this.#loop.command({ command: "join", code, relay, petname: options.petname });
    return must(pairing);
  }

  /** Waits for the end of a pairing. */
  bonded(pairing: string, { timeoutMs = 600_000, signal }: WaitOptions): Promise<BondView> {
    const look = async () => {
      const { outcome, bond } = await this.one(pairing);
      if (outcome !== undefined && outcome !== "bonded") throw pairingFailed(outcome);
      if (bond === undefined) return undefined;
      const bonds = await this.#loop.view((engine) => engine.bonds());
      const view = bonds.find(({ id }) => id === bond);
      if (view?.status === "failed") throw pairingFailed("bond_incomplete");
      return view?.status === "pending" ? undefined : view;
    };
    return waitUntil(this.#loop, look, "the other side", { timeoutMs, signal });
  }

  all(): Promise<PairingView[]> {
    return this.#loop.view((engine) => engine.pairings());
  }

  /** @throws AgentPairError `pair_not_found`. */
  async one(pairing: string): Promise<PairingView> {
    const view = (await this.all()).find(({ id }) => id === pairing);
    if (!view) throw new AgentPairError("pair_not_found", "policy", `no pairing ${pairing}`);
    return view;
  }

  async cancel(pairing: string): Promise<void> {
    await this.#loop.command({ command: "cancel_pairing", pairing });
  }
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
