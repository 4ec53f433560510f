import { asAgentPairError } from "../errors.js";
import type { Host } from "../host/host.js";
import { type BondView, verifyAudit } from "../wasm/agentpair.js";
import { damaged } from "./backup-format.js";
import type { BackupCounts } from "./backup-lines.js";

/** What was restored. */
export interface Restored extends BackupCounts {
  /** When the backup was made, ISO 8601. */
  createdAt: string;
  /** How the keys were protected then. Now they lie as in any new store of this platform. */
  protection: string;
  /** The bonds that are back, with those that were over by then. */
  bonds: BondView[];
}

/**
 * Wakes the host of a store that was restored, checks what it knows, tells it what has happened, and closes it. Resolves
 * with the bonds that are back.
 *
 * @throws AgentPairError `backup_damaged`.
 */
export async function wakeRestored(opening: Promise<Host>, counts: BackupCounts, path: string): Promise<BondView[]> {
  const host = await opening.catch((error) => {
    throw damaged(path, asAgentPairError(error).code);
  });
  try {
    await checkRestored(host, counts, path);
    return await host.bonds();
  } finally {
    await host.close();
  }
}

async function checkRestored(host: Host, counts: BackupCounts, path: string): Promise<void> {
  const { feed, audit } = await host.me();
  const [items, records] = [await all(host, "feed", feed), await all(host, "audit", audit)];
  // There may be more than in the backup: something was due, and was done when the host woke.
  const isWhole = items.length === feed && records.length === audit && feed >= counts.feed && audit >= counts.audit;
  if (!isWhole) throw damaged(path, "its logs are not those of its records");
  try {
    verifyAudit(records);
  } catch (error) {
    throw damaged(path, asAgentPairError(error).code);
  }
  await host.afterRestore();
}

/** The entries of a log up to one, as far as they are there without a gap. */
async function all<L extends "feed" | "audit">(
  host: Host,
  log: L,
  last: number,
): Promise<Awaited<ReturnType<Host[L]>>> {
  const found: { n: number }[] = [];
  while (found.length < last) {
    const page: { n: number }[] = await host[log]({ since: found.length, limit: 1_000 });
    if (page.length === 0 || page.some(({ n }, index) => n !== found.length + index + 1)) break;
    found.push(...page);
  }
  return found as Awaited<ReturnType<Host[L]>>;
}
