import { printable } from "../../host/approval-text.js";
import { isOver } from "../../host/is-over.js";
import type { BondView } from "../../wasm/agentpair.js";
import { askSecret } from "../ask.js";
import type { Call } from "../call.js";
import { dataDirOf } from "../data-dir.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "put a backup into an empty data directory",
  register(command) {
    command
      .argument("<file>", "the backup")
      .option("--passphrase-file <file>", "its passphrase, as the only line of a file that only you can read");
    act(command, async (call: Call, file: string, options: { passphraseFile?: string }) => {
      const { restore, mustBeEmpty } = await import("../../vault/restore.js");
      const { readPassphraseFile } = await import("../../vault/passphrase.js");
      const directory = dataDirOf(call.open);
      mustBeEmpty(directory);
      const passphrase = options.passphraseFile
        ? readPassphraseFile(options.passphraseFile)
        : await askSecret(call, "Passphrase of the backup:");
      const restored = await call.progress("restoring", restore(file, directory, passphrase));
      const { createdAt, bonds, protection, ...counts } = restored;
      const back = bonds.filter((bond) => !isOver(bond));
      const shown = back.map(({ petname, id, status }) => ({ peer: petname, bond: id, status }));
      call.print({ data_dir: directory, created_at: createdAt, ...counts, bonds: shown }, () => back.map(line));
      call.say(...meaning(createdAt, back.length));
      if (protection !== "file") {
        // A browser protects keys in a way that only it can.
        const again = protection === "passphrase" ? protection : "keychain";
        call.say(`The keys were sealed (${protection}); now they lie in the directory: agentpair keys ${again}`);
      }
    });
  },
} satisfies Verb;

function line({ petname, id, status }: BondView): string {
  return `${printable(petname)}  ${id}  ${status}`;
}

function meaning(createdAt: string, bonds: number): string[] {
  return [
    `Everything is as it was at ${createdAt}:`,
    "  Bonds that were made after that are gone: pair anew.",
    bonds === 0
      ? "  No bond is back."
      : "  The bonds above are back, also those that you have ended since: end them again, with agentpair revoke.",
    "  Messages and receipts in between are lost to this side. Negotiations and pairings that were open are over.",
    "  A PIN is the one of that time, and questions that wait get new codes.",
    "Your peers are told as soon as AgentPair runs here again. Do not use the old directory any more, nor this backup on",
    "a second machine: two that speak with the same keys would take each other's messages.",
  ];
}
