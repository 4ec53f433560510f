import { createHash } from "node:crypto";
import { AgentPairError } from "../../errors.js";
import { untrusted, untrustedLines } from "../../untrusted.js";
import type { VerifiedReceipt } from "../../wasm/agentpair.js";
import type { Call } from "../call.js";
import { readNamedFile } from "../files.js";
import { readStdin } from "../stdin.js";
import { iso } from "../times.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "check a receipt, offline and without keys",
  register(command) {
    command
      .argument("<file>", "the receipt; - reads standard input")
      .option("--text <file>", "also check that this file is the text that was agreed");
    act(command, verify);
  },
} satisfies Verb;

async function verify(call: Call, file: string, { text }: { text?: string }): Promise<void> {
  const bytes = file === "-" ? Buffer.from(await readStdin()) : readNamedFile(file);
  const [{ verifyReceipt }] = await Promise.all([import("../../receipt.js"), import("../../load/node.js")]);
  const receipt = verifyReceipt(bytes);
  if (text !== undefined) mustBeTheText(text, receipt);
  call.print(json(receipt), () => lines(receipt, text));
  call.say(
    "",
    "This proves: the holders of these two keys signed exactly these terms and this hash.",
    "It does not prove: who holds the keys (names are not in it, compare the ids), when it was signed, or that a human",
    "approved: times and approval are each signer's own statement. A later agreement may replace this one.",
  );
}

function mustBeTheText(file: string, { sha256 }: VerifiedReceipt): void {
  const found = createHash("sha256").update(readNamedFile(file)).digest("hex");
  if (found === sha256) return;
  const words = `${file} is not the text that was agreed: its SHA-256 is ${found}, the receipt is about ${sha256}`;
  throw new AgentPairError("hash_mismatch", "caller", words);
}

/** The terms are what one of the signers wrote: nobody here knows whether that is a friend. */
function json({ agreement, sha256, initiator, recipient, approved_at, terms }: VerifiedReceipt): object {
  const framed = (words: string) => untrusted("the initiator", words, Number.POSITIVE_INFINITY);
  return {
    agreement,
    sha256,
    initiator,
    recipient,
    stated: { initiator_approved_at: iso(approved_at[0]), recipient_approved_at: iso(approved_at[1]) },
    goal: framed(terms.goal),
    acceptance: terms.acceptance.map(({ id, test, desc }) => ({ id: framed(id), test, desc: framed(desc) })),
    supersedes: terms.supersedes,
    proves: "the holders of the two keys signed these terms and this hash",
    does_not_prove: ["who holds the keys", "when", "that a human approved", "that no later agreement exists"],
  };
}

function lines(receipt: VerifiedReceipt, text: string | undefined): string[] {
  const { agreement, sha256, initiator, recipient, approved_at, terms } = receipt;
  return [
    "The signatures of both sides hold.",
    `agreement  ${agreement}`,
    `text       ${sha256}${text === undefined ? "" : ", which this file is"}`,
    `initiator  ${initiator}, states to have approved at ${iso(approved_at[0])}`,
    `recipient  ${recipient}, states to have approved at ${iso(approved_at[1])}`,
    "goal, as the initiator wrote it:",
    ...untrustedLines(terms.goal),
    ...terms.acceptance.flatMap(({ id, desc }) => ["criterion:", ...untrustedLines(`${id}: ${desc}`)]),
    ...(terms.supersedes === undefined ? [] : ["replaces the agreement:", ...untrustedLines(terms.supersedes)]),
  ];
}
