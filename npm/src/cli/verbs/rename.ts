import { printable } from "../../host/approval-text.js";
import type { Call } from "../call.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "call a peer something else",
  register(command) {
    command.argument("<peer>", "petname or id").argument("<petname>", "the new one");
    act(command, async (call: Call, peer: string, petname: string) => {
      const host = await call.host({ network: false });
      const { id } = await host.bond(peer);
      await host.rename(id, petname);
      // It may have got a number, where another peer is called so.
      const { petname: name } = await host.bond(id);
      call.print({ peer: name, bond: id }, () => printable(name));
    });
  },
} satisfies Verb;
