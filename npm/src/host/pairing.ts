import { AgentPairError, type Blame } from "../errors.js";
import type { PairingView } from "../wasm/agentpair.js";

/** Why a pairing came to nothing: who is to blame, and what to do. */
const OUTCOMES: { [outcome: string]: readonly [Blame, string] } = {
  pake_failed: ["peer", "the code was wrong, or somebody stood between: nobody is bonded, and the code is burned; make a new invite"],
  bond_tag_mismatch: ["peer", "the pairing did not close: nobody is bonded; make a new invite"],
  cancelled: ["caller", "the pairing was cancelled"],
  rejected: ["policy", "the human refused the bond"],
  invite_not_found: ["caller", "no such invite at this relay: are both on the same relay, and is the code right?"],
  invite_claimed: ["peer", "somebody else has used this code: ask for a new one"],
  invite_expired: ["caller", "this code is too old: ask for a new one"],
  pair_expired: ["peer", "the other side did not finish in time: make a new invite"],
  bond_incomplete: ["peer", "the other side never spoke: the bond was given up"],
};

/** The error of a pairing that is over without a bond. */
export function pairingFailed(outcome: string): AgentPairError {
  const [blame, text] = OUTCOMES[outcome] ?? ["peer", `the pairing failed: ${outcome}`];
  return new AgentPairError(outcome, blame, text);
}

/** The error of a wait for a relay. */
export function relayFailed({ relay, trouble }: PairingView, seconds: number): AgentPairError {
  if (trouble === undefined || trouble === "no_answer") {
    const text = `no relay at ${relay} within ${seconds} s: is the address right, and does it run?`;
    return new AgentPairError("relay_unreachable", "relay", text);
  }
  const text =
    trouble === "nonsense"
      ? `${relay} does not answer like a relay: is the address right?`
      : `the relay ${relay} refuses: ${trouble}`;
  return new AgentPairError(trouble === "nonsense" ? "relay_nonsense" : trouble, "relay", text);
}
