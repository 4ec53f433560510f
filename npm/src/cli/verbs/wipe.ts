import { basename } from "node:path";
import { AgentPairError } from "../../errors.js";
import { printable } from "../../host/approval-text.js";
import { isOver } from "../../host/is-over.js";
import { askText } from "../ask.js";
import type { Call } from "../call.js";
import { dataDirOf } from "../data-dir.js";
import { EXIT } from "../exit.js";
import { act, type Verb } from "../verb.js";

/** How long relays get to learn that the bonds are over, in milliseconds. */
const REVOKING_MS = 30_000;

export default {
  summary: "remove this AgentPair from the disk, for good",
  register(command) {
    command
      .option("--revoke", "end all bonds first, so that peers are told")
      .option("--yes", "do not ask for the directory's name");
    act(command, async (call: Call, options: { revoke?: boolean; yes?: boolean }) => {
      const { mustBeUnused, wipe } = await import("../../vault/wipe.js");
      const directory = dataDirOf(call.open);
      await mustBeUnused(directory);
      if (!options.yes && !(await confirmed(call, directory))) return EXIT.undecided;
      const untold = options.revoke ? await revokeAll(call) : undefined;
      const { foreign, leftover } = await wipe(directory);
      call.print({ data_dir: directory, foreign, ...(untold && { untold }) }, () => `wiped ${printable(directory)}`);
      if (untold?.length) {
        call.say(`These could not be told in time, and see you as bonded still: ${untold.map(printable).join(", ")}`);
      }
      if (foreign.length > 0) {
        call.say(`The directory stays, since this in it is not AgentPair's: ${foreign.map(printable).join(", ")}`);
      }
      if (leftover) call.say(`A useless key is left in the keychain, as agentpair: ${leftover.message}`);
      call.say("Backups, and copies of the directory, are still there if you made any.");
      return EXIT.done;
    });
  },
} satisfies Verb;

async function confirmed(call: Call, directory: string): Promise<boolean> {
  const name = basename(directory);
  if (!call.isTerminal) {
    const text = `this removes all keys, bonds, messages and receipts in ${directory} for good: add --yes`;
    throw new AgentPairError("invalid_argument", "caller", text);
  }
  call.say(`This removes all keys, bonds, messages and receipts in ${printable(directory)}, for good.`);
  const typed = await askText(call, `Type ${printable(name)} to go on:`);
  if (typed === name) return true;
  call.say("That is another name: nothing was removed.");
  return false;
}

/** Ends every bond, and waits until the relays know. Resolves with the names of those who could not be told. */
async function revokeAll(call: Call): Promise<string[]> {
  const host = await call.host();
  const bonds = (await host.bonds()).filter((bond) => !isOver(bond));
  for (const { id } of bonds) await host.revoke(id);
  const ids = new Set(bonds.map(({ id }) => id));
  // The keys of a bond are erased when its relay has taken the last word.
  const untold = async () => (await host.bonds()).filter(({ id, isErased }) => ids.has(id) && !isErased);
  const look = async () => ((await untold()).length === 0 ? true : undefined);
  const wait = host.until(look, "the relays", { timeoutMs: REVOKING_MS, signal: call.signal });
  await call.progress("telling the peers", wait).catch((error: { code?: string }) => {
    if (error.code !== "timeout") throw error;
  });
  const names = (await untold()).map(({ petname }) => petname);
  await call.end();
  return names;
}
