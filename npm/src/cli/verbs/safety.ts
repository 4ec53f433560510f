import { printable } from "../../host/approval-text.js";
import type { Call } from "../call.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "print the safety number of a bond",
  register(command) {
    command.argument("<peer>", "petname or id");
    act(command, async (call: Call, peer: string) => {
      const host = await call.host({ network: false });
      const { id, petname, verification } = await host.bond(peer);
      const number = await call.progress("computing the safety number", host.safetyNumber(id));
      const verified = verification !== undefined;
      call.print({ peer: petname, bond: id, number, verified }, () => number.join(" "));
      const name = printable(petname);
      call.say(
        verified
          ? `You have confirmed that ${name} sees the same.`
          : `Let ${name}'s human read out theirs. If it is the same: agentpair verify-peer ${name}. If not: agentpair revoke ${name}`,
      );
    });
  },
} satisfies Verb;
