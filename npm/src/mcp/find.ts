import { isOver } from "../host/is-over.js";
import { AgentPairError, type BaseHost, type BondView, type SessionView } from "../node.js";
import { isThread } from "./frame.js";

/** A session, and the bond that it is on. */
export interface Found {
  view: SessionView;
  bond: BondView;
}

/**
 * The session on that thread; with that peer, if one is named.
 *
 * @throws AgentPairError `session_not_found`; `invalid_argument` if several peers have one.
 */
export async function findSession(host: BaseHost, thread: string, peer: string | undefined): Promise<Found> {
  const only = peer === undefined ? undefined : await host.bond(peer);
  const views = (await host.sessions()).filter(
    (view) => isThread(view.thread, thread) && (only === undefined || view.bond === only.id),
  );
  const [view] = views;
  if (view === undefined) {
    const text = "there is no session on that thread: session_status without arguments lists them all";
    throw new AgentPairError("session_not_found", "policy", text);
  }
  if (views.length > 1) {
    const text = "several peers have a session on a thread of that name: say with `peer` which one is meant";
    throw new AgentPairError("invalid_argument", "caller", text);
  }
  return { view, bond: only ?? (await host.bond(view.bond)) };
}

/** All bonds: those that are not over first, and of these the newest. */
export async function bondsInOrder(host: BaseHost): Promise<BondView[]> {
  const rank = (bond: BondView) => Number(isOver(bond));
  return (await host.bonds()).sort((one, other) => rank(one) - rank(other) || other.createdAt - one.createdAt);
}

/** All sessions, or those with one peer: those that are not over first, and of these the newest. */
export async function sessionsInOrder(host: BaseHost, peer?: string): Promise<Found[]> {
  const bonds = new Map((await host.bonds()).map((bond) => [bond.id, bond]));
  const only = peer === undefined ? undefined : await host.bond(peer);
  const rank = ({ status }: SessionView) => Number(status === "agreed" || status === "ended");
  return (await host.sessions())
    .filter(({ bond }) => only === undefined || bond === only.id)
    .sort((one, other) => rank(one) - rank(other) || other.createdAt - one.createdAt)
    .flatMap((view) => {
      const bond = bonds.get(view.bond);
      return bond ? [{ view, bond }] : [];
    });
}

/** The owner's names for the peers, by bond. */
export async function petnames(host: BaseHost): Promise<(bond: string) => string> {
  const names = new Map((await host.bonds()).map(({ id, petname }) => [id, petname]));
  return (bond) => names.get(bond) ?? bond;
}
