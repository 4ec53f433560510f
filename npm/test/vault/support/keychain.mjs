// In a desktop session with a keychain: seals the keys of a directory by it, opens them, and opens them again later.
// `keychain.mjs DIRECTORY STEP`. Prints JSON.
import { Host, protectKeys, SystemKeychain, wipe } from "agentpair";

const [dataDir = "", step = ""] = process.argv.slice(2);
const words = [];
const keychain = new SystemKeychain((text) => words.push(text));

async function id() {
  const host = await Host.open({ dataDir, network: false, keychain });
  const { agentId } = await host.me();
  await host.close();
  return agentId;
}

async function run() {
  if (step === "seal") {
    const before = await id();
    const done = await protectKeys(dataDir, "keychain", undefined, { keychain });
    return { ...done, before, after: await id(), words };
  }
  if (step === "open") return { id: await id() };
  if (step === "plain") return protectKeys(dataDir, "file", undefined, { keychain });
  return wipe(dataDir, keychain);
}

try {
  console.log(JSON.stringify(await run()));
} catch ({ code, message }) {
  console.log(JSON.stringify({ error: code, message }));
}
process.exit();
