import { type PassphraseSource, passphraseFromEnvironment } from "../vault/passphrase.js";
import { askSecret } from "./ask.js";
import type { Call } from "./call.js";

/** How often a human is asked before it is given up. */
const ATTEMPTS = 3;

/** The passphrase of the keys: from the file that `AGENTPAIR_PASSPHRASE_FILE` names, else from the human, if one is here. */
export function passphraseHere(call: Call): PassphraseSource | undefined {
  const fromFile = passphraseFromEnvironment();
  if (fromFile || !call.isTerminal) return fromFile;
  return async (attempt) => {
    if (attempt >= ATTEMPTS) return undefined;
    if (attempt > 0) call.say("That is not the passphrase.");
    return askSecret(call, "Passphrase of your AgentPair keys:");
  };
}
