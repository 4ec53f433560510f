import type { BaseHost } from "../common.js";
import { AgentPairError } from "../errors.js";
import { escaped } from "../untrusted.js";
import type { BondView, SessionView } from "../wasm/agentpair.js";

/** A session, and the bond that it is on. */
export interface Found {
  session: SessionView;
  bond: BondView;
}

/**
 * The session on a thread: by its name, by the name as it was shown, or by the beginning of one that only one has.
 *
 * @throws AgentPairError `session_not_found`; `invalid_argument` if several are meant; `bond_not_found`.
 */
export async function findSession(host: BaseHost, thread: string, peer: string | undefined): Promise<Found> {
  const only = peer === undefined ? undefined : (await host.bond(peer)).id;
  const all = (await host.sessions()).filter(({ bond }) => (only ?? bond) === bond);
  const exact = all.filter((session) => session.thread === thread || escaped(session.thread) === thread);
  const found = exact.length > 0 ? exact : all.filter((session) => session.thread.startsWith(thread));
  const [session] = found;
  if (!session || thread === "") {
    const text = "there is no negotiation on that thread: `agentpair session list` shows them";
    throw new AgentPairError("session_not_found", "policy", text);
  }
  if (found.length > 1) {
    const text =
      "several negotiations are meant: write the whole thread, and --peer if several peers have one of that name";
    throw new AgentPairError("invalid_argument", "caller", text);
  }
  return { session, bond: await host.bond(session.bond) };
}

/**
 * The SHA-256 of a deliverable on the table, from its beginning.
 *
 * @throws AgentPairError `invalid_argument` unless exactly one begins so, with 8 characters at least.
 */
export async function findHash(host: BaseHost, { bond, thread }: SessionView, beginning: string): Promise<string> {
  const turns = await host.turns(bond, thread);
  const hashes = new Set(turns.flatMap(({ deliverable }) => deliverable?.sha256 ?? []));
  const [hash, ...others] = [...hashes].filter((one) => one.startsWith(beginning.toLowerCase()));
  if (hash !== undefined && others.length === 0 && beginning.length >= 8) return hash;
  const text = `${beginning} is not the beginning (8 characters or more) of one hash that was proposed: \`agentpair session show\` lists them`;
  throw new AgentPairError("invalid_argument", "caller", text);
}
