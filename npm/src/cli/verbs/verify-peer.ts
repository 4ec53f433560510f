import { printable } from "../../host/approval-text.js";
import type { Call } from "../call.js";
import { EXIT } from "../exit.js";
import { act, type Verb } from "../verb.js";
import { decideOrSay } from "../waiting.js";

export default {
  summary: "confirm that both sides see the same safety number",
  register(command) {
    command.argument("<peer>", "petname or id");
    act(command, async (call: Call, peer: string) => {
      const host = await call.host();
      const { id, petname } = await host.bond(peer);
      const number = await call.progress("computing the safety number", host.safetyNumber(id));
      const pending = await host.verify(id);
      call.print({ peer: petname, bond: id, number, pending_id: pending }, () => number.join(" "));
      const name = printable(petname);
      const decision = await decideOrSay(call, host, pending);
      if (decision === "approve") call.say(`${name} is verified.`);
      if (decision !== "reject") return EXIT.done;
      call.say(`Somebody may stand between you and ${name}, and the bond is still there: agentpair revoke ${name}`);
      return EXIT.undecided;
    });
  },
} satisfies Verb;
