import type { TestContext } from "node:test";
import { Host } from "agentpair";
import { Owner, PROGRAM } from "../../cli/support/run.ts";
import { openHost, pair } from "../../support/hosts.ts";
import { Terminal } from "../../support/terminal.ts";

/** An owner with a bond with bob; `ask` puts a question. */
export async function bonded(t: TestContext, relay: string) {
  const owner = new Owner(t, relay);
  const bob = await openHost(t, { relay });
  const alice = await Host.open({ dataDir: owner.dataDir, relay });
  const { bond } = await pair(alice, bob);
  await alice.close();
  const ask = async () => {
    const host = await Host.open({ dataDir: owner.dataDir, relay, network: false });
    const id = await host.verify(bond.id);
    const [item] = await host.pendings();
    await host.close();
    return { id, digest: item?.digest ?? "", place: item?.place ?? "" };
  };
  const how = async () => {
    const host = await Host.open({ dataDir: owner.dataDir, relay, network: false });
    const { verification } = await host.bond(bond.id);
    await host.close();
    return verification?.how;
  };
  const terminal = (...words: string[]) => new Terminal(t, [PROGRAM, ...words], owner.env);
  return { owner, bob, ask, how, terminal };
}
