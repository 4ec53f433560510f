import type { Owner } from "./run.ts";

/** Two owners pair by the command line: one says a code, the other types it, and its human agrees. */
export async function pair(alice: Owner, bob: Owner): Promise<void> {
  const inviting = alice.start(["pair", "--petname", "bob"]);
  const [code] = await inviting.says(/^\S+$/m);
  const joining = bob.start(["join", "--petname", "alice"], { input: `${code}\n` });
  await bob.decide("join");
  for (const side of [inviting, joining]) {
    const { code, stderr } = await side.end();
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  }
}
