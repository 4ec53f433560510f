// Opens a host and tells how it went: `opening.mjs DIRECTORY [PRETENDED VERSION OF NODE]`.
import { Host } from "agentpair";

const [dataDir = "", version] = process.argv.slice(2);
if (version) Object.defineProperty(process.versions, "node", { value: version });
try {
  await (await Host.open({ dataDir, network: false })).close();
  process.send?.({ code: "none", message: "" });
} catch (error) {
  const { code, message } = error;
  process.send?.({ code, message });
}
process.disconnect?.();
