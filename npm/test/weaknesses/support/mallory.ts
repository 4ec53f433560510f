import { BaseHost, type BondView, type Host, safetyNumber } from "agentpair";
import { MemoryDisk, MemoryStore, QuestionList } from "agentpair/testing";
import { Pen } from "../../mcp/e2e/support/pen.ts";
import { approveNext } from "../../support/human.ts";
import type { Afterwards } from "../../support/scratch.ts";

/** A bonded peer whose keys are in the wrong hands. */
export interface Mallory {
  /** Its bond with the victim. */
  bond: BondView;
  /** The victim's bond with it. */
  back: BondView;
  /** Writes what no host would. */
  pen: Pen;
  /** The bond's secret, base64url. */
  secret: string;
}

/** What the bond shall be. */
export interface Wanted {
  scope?: string[];
  mode?: "bonded_contact" | "ephemeral_until_session_closes";
}

/** Bonds a peer with a victim, which calls it `petname`, and takes its keys. */
export async function mallory(
  t: Afterwards,
  victim: Host,
  relay: string,
  petname = "mallory",
  wanted: Wanted = {},
): Promise<Mallory> {
  const disk = new MemoryDisk();
  const host = await BaseHost.start({
    store: new MemoryStore(disk),
    human: new QuestionList(),
    network: true,
    relay,
    // Its own troubles are nobody's concern.
    onProblem: () => {},
    safetyNumber,
  });
  t.after(() => host.close());
  const { code, pairing } = await host.invite({ petname: "victim", timeoutMs: 30_000, ...wanted });
  const joining = await victim.join(code, { petname, relay });
  await approveNext(victim, "join");
  const [bond, back] = await Promise.all([
    host.bonded(pairing, { timeoutMs: 60_000 }),
    victim.bonded(joining, { timeoutMs: 60_000 }),
  ]);
  // From here on nobody honest answers in its name.
  await host.close();
  const record = disk.records.get(`secret/${bond.id}`)?.value;
  return { bond, back, pen: new Pen(bond, record), secret: String(JSON.parse(record ?? '""')) };
}
