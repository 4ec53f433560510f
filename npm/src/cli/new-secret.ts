import { AgentPairError } from "../errors.js";
import { askSecret } from "./ask.js";
import type { Call } from "./call.js";
import { mustBeTerminal } from "./terminal.js";

/** How often a human may type two different things, or something too short. */
const ATTEMPTS = 3;

/** What a new secret is called, and what it must be. */
export interface NewSecret {
  /** Such as "passphrase of the backup". */
  name: string;
  /** The fewest characters. */
  characters: number;
  /** Said before it is asked for. */
  advice: string;
}

/**
 * Asks for a new secret, twice.
 *
 * @throws AgentPairError `no_terminal`; `invalid_argument` if it did not come to one.
 */
export async function askNewSecret(call: Call, { name, characters, advice }: NewSecret): Promise<string> {
  mustBeTerminal(`to ask for a new ${name}`);
  call.say(advice);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const once = await askSecret(call, `New ${name}:`);
    if ([...once.normalize("NFC")].length < characters) {
      call.say(`It needs at least ${characters} characters.`);
      continue;
    }
    if ((await askSecret(call, "The same again:")) === once) return once;
    call.say("These were two different ones.");
  }
  throw new AgentPairError("invalid_argument", "caller", `no new ${name} was chosen: nothing was changed`);
}
