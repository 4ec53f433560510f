import { AgentPairError } from "../../errors.js";
import { printable } from "../../host/approval-text.js";
import type { Call } from "../call.js";
import { EXIT } from "../exit.js";
import { act, type Verb } from "../verb.js";
import { decideOrSay } from "../waiting.js";

export default {
  summary: "let an agent that was stopped write to a peer again",
  register(command) {
    command.argument("<peer>", "petname or id");
    act(command, async (call: Call, peer: string) => {
      const host = await call.host();
      const { id, petname, isBraked } = await host.bond(peer);
      const name = printable(petname);
      if (!isBraked) {
        const text = `the agent was not stopped with ${name}: there is nothing to resume`;
        throw new AgentPairError("invalid_argument", "caller", text);
      }
      const pending = await host.brake(id, "it was stopped before, and you want it to go on");
      call.print({ peer: petname, bond: id, pending_id: pending }, () => []);
      const decision = await decideOrSay(call, host, pending);
      if (decision === "approve") call.say(`The agent may write to ${name} again.`);
      return decision === "reject" ? EXIT.undecided : EXIT.done;
    });
  },
} satisfies Verb;
