import type { BaseHost, Open } from "agentpair";
import { approveNext } from "../../support/human.ts";

/** Longer than anything here takes. */
export const PATIENCE = { timeoutMs: 60_000 };

/** Terms that nobody minds. */
export const terms = (more: Partial<Open> = {}): Open => ({
  goal: "Fix the price of one hour",
  acceptance: [],
  budget: { max_turns: 6, deadline: new Date(Date.now() + 3_600_000).toISOString() },
  mandate: { agent_may: [], human_required: ["ratify"] },
  ...more,
});

/** A deliverable. */
export const text = (content: string) =>
  ({ kind: "text", media_type: "text/plain", name: "a.txt", text: content }) as const;

/** Waits until a session stands so on a host. */
export const stands = (host: BaseHost, peer: string, thread: string, status: string) =>
  host.until(async () => (await host.session(peer, thread))?.status === status || undefined, status, PATIENCE);

/** From an opening to an agreement; Alice calls the other "bob", Bob calls her "alice". */
export async function agree(
  alice: BaseHost,
  bob: BaseHost,
  content: string,
): Promise<{ thread: string; hash: string }> {
  const thread = await alice.openSession("bob", terms());
  await approveNext(bob, "open");
  await stands(alice, "bob", thread, "live");
  const { sha256: hash } = await alice.turn("bob", thread, "propose", "These.", text(content));
  await bob.until(async () => (await bob.session("alice", thread))?.yourTurn || undefined, "the turn", PATIENCE);
  await bob.sign("alice", thread, hash);
  await alice.until(async () => (await alice.session("bob", thread))?.signedByPeer, "the signature", PATIENCE);
  await alice.sign("bob", thread, hash);
  await Promise.all([approveNext(alice, "ratify"), approveNext(bob, "ratify")]);
  await Promise.all([stands(alice, "bob", thread, "agreed"), stands(bob, "alice", thread, "agreed")]);
  return { thread, hash };
}
