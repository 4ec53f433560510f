import { AgentPairError } from "../../errors.js";
import type { Call } from "../call.js";
import { catchUp } from "../catch-up.js";
import { writeNewFile } from "../files.js";
import { findSession } from "../find-session.js";
import { act, type Verb } from "../verb.js";
import { writeText } from "../write.js";

export default {
  summary: "write the receipt of an agreement to a file",
  register(command) {
    command
      .argument("<thread>", "the thread, or its beginning")
      .argument("[file]", "a new file; - is standard output (receipt-<agreement>.json)")
      .option("--peer <peer>", "petname or id, where several peers have a thread of that name");
    act(command, receipt);
  },
} satisfies Verb;

async function receipt(
  call: Call,
  thread: string,
  given: string | undefined,
  { peer }: { peer?: string },
): Promise<void> {
  const host = await call.host();
  await catchUp(call, host);
  const { session, bond } = await findSession(host, thread, peer);
  const text = await host.receipt(bond.id, session.thread);
  if (text === undefined) {
    const words = `there is no receipt yet: the negotiation is ${session.status}, and needs the ratification of both humans`;
    throw new AgentPairError("session_not_signed", "policy", words);
  }
  if (given === "-") return writeText(process.stdout, `${text}\n`);
  const { verifyReceipt } = await import("../../receipt.js");
  const { agreement, sha256 } = verifyReceipt(text);
  const file = given ?? `receipt-${agreement.slice(0, 16)}.json`;
  writeNewFile(file, `${text}\n`);
  call.print({ file, agreement, sha256 }, () => file);
  call.say(`Anybody can check it, offline and without keys: agentpair verify ${file}`);
}
