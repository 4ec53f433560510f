import type { BondView } from "agentpair";
import type { Remote } from "./remote.ts";

/** Waits until a pairing has become a bond, on both sides. */
export function bonded(host: Remote, pairing: string): Promise<BondView> {
  return host.until(async () => {
    const { outcome, bond } = await host.call("pairing", pairing);
    if (outcome !== undefined && outcome !== "bonded") throw new Error(outcome);
    return (await host.call("bonds")).find(({ id, status }) => id === bond && status === "active");
  }, "the bond");
}

/** Pairs two hosts in processes of their own, by words. */
export async function pairRemotes(alice: Remote, bob: Remote): Promise<{ bond: BondView; back: BondView }> {
  const { pairing, code } = await alice.call("invite", { petname: "bob", timeoutMs: 30_000 });
  const joining = await bob.call("join", code, { petname: "alice" });
  await bob.approve("join");
  const [bond, back] = await Promise.all([bonded(alice, pairing), bonded(bob, joining)]);
  return { bond, back };
}
