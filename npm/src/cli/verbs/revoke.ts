import { AgentPairError } from "../../errors.js";
import { printable } from "../../host/approval-text.js";
import { askYes } from "../ask.js";
import type { Call } from "../call.js";
import { EXIT } from "../exit.js";
import { untilSent } from "../sent.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "end a bond, alone and at once",
  register(command) {
    command
      .argument("<peer>", "petname or id")
      .option("--reason <words>", "what the other side is told")
      .option("--yes", "do not ask");
    act(command, async (call: Call, peer: string, options: { reason?: string; yes?: boolean }) => {
      const host = await call.host();
      const { id, petname } = await host.bond(peer);
      const name = printable(petname);
      if (!options.yes && !(await confirmed(call, name))) return EXIT.undecided;
      await host.revoke(id, options.reason);
      const { status } = await host.bond(id);
      call.print({ peer: petname, bond: id, status }, () => `${name}: ${status.replaceAll("_", " ")}`);
      await untilSent(call, host, id);
      return EXIT.done;
    });
  },
} satisfies Verb;

async function confirmed(call: Call, name: string): Promise<boolean> {
  if (call.isTerminal) return askYes(call, `End the bond with ${name}? Only a new pairing can undo it.`);
  throw new AgentPairError("invalid_argument", "caller", `this ends the bond with ${name} for good: add --yes`);
}
