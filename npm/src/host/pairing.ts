import { AgentPairError, type Blame } from "../errors.js";
import type { PairingView } from "../wasm/agentpair.js";

/** Why a pairing came to nothing: who is to blame, and what to do. */
const OUTCOMES: { [outcome: string]: readonly [Blame, string] } = {
  pake_failed: [
    "peer",
    "the code was wrong, or somebody stood between: nobody is bonded, and the code is burned; make a new invite",
  ],
  bond_tag_mismatch: ["peer", "the pairing did not close: nobody is bonded; make a new invite"],
  approval_declined: ["policy", "this side's human refused the bond"],
  rejected: ["peer", "the other side's human refused the bond"],
  bond_aborted: ["peer", "the other side gave up: nobody is bonded"],
  withdrawn: ["caller", "the pairing was withdrawn"],
  claimed_by_stranger: [
    "peer",
    "somebody used the invite and did not know the code: a new one, by link, takes its place",
  ],
  pair_session_lost: ["peer", "the other side did not finish in time: make a new invite"],
  invalid_invite: ["relay", "the invite at the relay is not what its maker signed: make a new one"],
  invite_not_found: ["caller", "no such invite at this relay: are both on the same relay, and is the code right?"],
  invite_claimed: ["peer", "somebody has used this code already: ask for a new one"],
  invite_expired: ["caller", "this code is too old: ask for a new one"],
  relay_has_no_invites: ["relay", "this relay knows no invites: use another one"],
  bond_incomplete: ["peer", "the other side never spoke: the bond was given up"],
};

/** The error of a pairing that is over without a bond. */
export function pairingFailed(outcome: string): AgentPairError {
  const [blame, text] = OUTCOMES[outcome] ?? ["relay", `the relay refused the pairing: ${outcome}`];
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
