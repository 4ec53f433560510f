import { printable } from "../../host/approval-text.js";
import type { Call } from "../call.js";
import { dataDirOf } from "../data-dir.js";
import { askNewSecret } from "../new-secret.js";
import { passphraseHere } from "../passphrase.js";
import { act, type Verb } from "../verb.js";

const ADVICE = "Only this passphrase opens the backup. Five random words are a good one. Keep it apart from the file.";

export default {
  summary: "write everything into one sealed file",
  register(command) {
    command
      .argument("<file>", "a new file")
      .option("--passphrase-file <file>", "its passphrase, as the only line of a file that only you can read");
    act(command, async (call: Call, file: string, options: { passphraseFile?: string }) => {
      const { fileExists, mustHaveStore } = await import("../../vault/data-files.js");
      const { existsSync } = await import("node:fs");
      const { readPassphraseFile } = await import("../../vault/passphrase.js");
      const { PASSPHRASE_CHARACTERS: characters } = await import("../../vault/new-passphrase.js");
      const { backup } = await import("../../vault/backup.js");
      const directory = dataDirOf(call.open);
      // Before anybody thinks of a passphrase.
      mustHaveStore(directory);
      if (existsSync(file)) throw fileExists(file);
      const chosen = options.passphraseFile
        ? readPassphraseFile(options.passphraseFile)
        : await askNewSecret(call, { name: "passphrase of the backup", characters, advice: ADVICE });
      const work = backup(directory, file, chosen, { passphrase: passphraseHere(call) });
      const { createdAt, ...counts } = await call.progress("writing the backup", work);
      call.print({ file, created_at: createdAt, ...counts }, () => printable(file));
      call.say(
        "It holds your keys, bonds, messages and receipts as they are now, and was read back. It grows old: make",
      );
      call.say("a new one after each new bond. Restore it only where this AgentPair does not run any more.");
    });
  },
} satisfies Verb;
