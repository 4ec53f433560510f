// Protects the keys of a directory otherwise, again and again: `changing.ts DIRECTORY PASSPHRASE`. Tells before each change.
import { protectKeys } from "agentpair";

const [directory = "", passphrase = ""] = process.argv.slice(2);
const options = { passphrase: async (attempt: number) => (attempt === 0 ? passphrase : undefined) };
for (;;) {
  for (const to of ["passphrase", "file"] as const) {
    process.send?.(to);
    await protectKeys(directory, to, passphrase, options);
  }
}
