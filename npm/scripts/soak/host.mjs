// One host of the soak: `host.mjs NAME DATA RELAY`. It does what it is told.
import { Host } from "agentpair";

const [label, dataDir, relay] = process.argv.slice(2);
// What it is told before it is open has to wait.
const opening = Host.open({ label, dataDir, relay });
process.on("message", async ({ call, name, all }) => {
  try {
    const host = await opening;
    process.send({ call, value: await host[name](...all) });
  } catch ({ code, message }) {
    process.send({ call, error: { code, message } });
  }
});
process.on("disconnect", () => process.exit());
