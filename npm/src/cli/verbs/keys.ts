import type { Protection } from "../../vault/protection.js";
import type { Call } from "../call.js";
import { dataDirOf } from "../data-dir.js";
import { askNewSecret } from "../new-secret.js";
import { passphraseHere } from "../passphrase.js";
import { act, type Verb } from "../verb.js";

const WORDS: { readonly [protection in Protection]: string } = {
  file: "the keys lie in the data directory, which only you can read",
  keychain: "the keys are sealed, and open by the keychain of this user",
  passphrase: "the keys are sealed, and open by your passphrase",
};

const AFTERWARDS: { readonly [protection in Protection]: string } = {
  file: "Whoever gets a copy of the data directory has your keys.",
  keychain: "Only in a desktop session of yours they open. If the keychain is lost, so are the keys: keep a backup.",
  passphrase:
    "Each command asks for it. For an MCP server, which cannot ask, put it into a file that only you can read, and name that file in AGENTPAIR_PASSPHRASE_FILE. If it is lost, so are the keys: keep a backup.",
};

const ADVICE = "The keys of all your bonds will open by this passphrase alone. Five random words are a good one.";

export default {
  summary: "say how your keys are protected on this disk",
  register(command) {
    act(command.command("status").description("tell how they are protected"), async (call: Call) => {
      const { mustHaveStore } = await import("../../vault/data-files.js");
      const { protectionIn } = await import("../../vault/protect.js");
      const directory = dataDirOf(call.open);
      mustHaveStore(directory);
      const protection = await protectionIn(directory);
      call.print({ protection, data_dir: directory }, () => WORDS[protection]);
    });

    const file = command.command("file").description("let them lie in the data directory, which only you can read");
    act(file, (call: Call) => protect(call, "file"));

    const keychain = command.command("keychain").description("seal them by the keychain of the operating system");
    act(keychain, (call: Call) => protect(call, "keychain"));

    const passphrase = command
      .command("passphrase")
      .description("seal them by a passphrase, or by another one")
      .option("--passphrase-file <file>", "the new one, as the only line of a file that only you can read");
    act(passphrase, async (call: Call, options: { passphraseFile?: string }) => {
      const { mustHaveStore } = await import("../../vault/data-files.js");
      mustHaveStore(dataDirOf(call.open));
      const { readPassphraseFile } = await import("../../vault/passphrase.js");
      const { PASSPHRASE_CHARACTERS: characters } = await import("../../vault/new-passphrase.js");
      const chosen = options.passphraseFile
        ? readPassphraseFile(options.passphraseFile)
        : await askNewSecret(call, { name: "passphrase of the keys", characters, advice: ADVICE });
      return protect(call, "passphrase", chosen);
    });
  },
} satisfies Verb;

async function protect(call: Call, to: Protection, chosen?: string): Promise<void> {
  const { mustHaveStore } = await import("../../vault/data-files.js");
  const { protectKeys } = await import("../../vault/protect.js");
  const { SystemKeychain } = await import("../../vault/keychain.js");
  const directory = dataDirOf(call.open);
  mustHaveStore(directory);
  const keychain = new SystemKeychain((text) => call.say(text));
  const options = { passphrase: passphraseHere(call), keychain };
  const done = await call.progress("sealing the keys", protectKeys(directory, to, chosen, options));
  call.print({ protection: to, before: done.before, erased: done.isErased }, () => WORDS[to]);
  call.say(AFTERWARDS[to]);
  if (done.before === "file" && to !== "file") {
    call.say("Copies of the directory that were made before hold the keys as they were, and so may the disk itself.");
  }
  if (!done.isErased) {
    call.say("Traces of the old form may be left in the database: end what uses it, and give this command once more.");
  }
  if (done.leftover) call.say(`A useless key is left in the keychain, as agentpair: ${done.leftover.message}`);
}
