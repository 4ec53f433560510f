// A host that does what it is told: `party.ts OPTIONS`. See ./remote.ts.
import { type AgentPairError, Host } from "agentpair";

const host = await Host.open(JSON.parse(process.argv[2] ?? "{}"));
process.on("message", async ({ name, all }: { name: keyof Host; all: unknown[] }) => {
  try {
    const method = host[name] as unknown as (...all: unknown[]) => Promise<unknown>;
    process.send?.({ value: await method.apply(host, all) });
  } catch (error) {
    const { code, message } = error as AgentPairError;
    process.send?.({ error: { code, message } });
  }
});
// Without its test there is nothing left to do.
process.on("disconnect", () => process.exit());
