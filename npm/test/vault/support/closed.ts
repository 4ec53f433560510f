import { join } from "node:path";
import { scratch } from "../../support/scratch.ts";
import { withHost } from "./keys.ts";

/** A host with something in each log, closed; and a place for its backups. */
export async function closed(): Promise<{ dataDir: string; file: string; empty: string; id: string }> {
  const folder = scratch();
  const dataDir = join(folder, "data");
  const id = await withHost(dataDir, async (host) => {
    const pairing = await host.join("65-eternal-academy-vendor", { relay: "http://127.0.0.1:9" });
    await host.cancel(pairing);
    await host.setLabel("Alice");
    return (await host.me()).agentId;
  });
  return { dataDir, file: join(folder, "alice.backup"), empty: join(folder, "restored"), id };
}
