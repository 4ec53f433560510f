import { Command } from "commander";
import { GROUPS } from "./verbs.js";
import { version } from "./version.js";

const ABOUT = `Two agents of two owners pair, talk end to end encrypted, and agree, with their humans in charge.

Without a verb: the MCP server where standard input is no terminal, this help where it is.`;

const NOTES = `
Environment:
  AGENTPAIR_DATA_DIR         where keys, messages and approvals are kept (~/.agentpair)
  AGENTPAIR_RELAY_URL        the relay for new pairings (http://127.0.0.1:3001)
  AGENTPAIR_PASSPHRASE_FILE  a file with the passphrase of the keys, where one seals them
  NO_COLOR                   no colours

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by a rule, 4 a relay cannot be used,
5 a human said no or nothing came in time, 70 a bug, 130 interrupted.`;

const GLOBAL = "\nEvery verb takes --json, --data-dir and --relay too, see `agentpair help`.";

/** The command line with the verbs that these words name; with all of them if they name none. */
export async function programOf(words: readonly string[]): Promise<Command> {
  const program = new Command("agentpair")
    .description(ABOUT)
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [verb]", "print help")
    .option("--json", "JSON on standard output, one value a line")
    .option("--data-dir <directory>", "instead of AGENTPAIR_DATA_DIR")
    .option("--relay <url>", "instead of AGENTPAIR_RELAY_URL")
    .addHelpText("after", NOTES)
    .addHelpText("afterAll", ({ command }) => (command.parent ? GLOBAL : ""))
    .configureOutput({ outputError: (text, write) => write(complaint(text)) })
    .showHelpAfterError("(see `agentpair help`)")
    .exitOverride();
  const verbs = Object.values(GROUPS).flatMap((group) => Object.keys(group));
  const named = verbs.filter((name) => words.includes(name));
  const wanted = new Set(named.length > 0 ? named : verbs);
  for (const [heading, group] of Object.entries(GROUPS)) {
    for (const [name, load] of Object.entries(group)) {
      // Known by its name at least, so that a mistyped one can be guessed.
      const command = program.command(name).helpGroup(heading);
      if (!wanted.has(name)) continue;
      const { default: verb } = await load();
      verb.register(command.description(verb.summary).helpGroup(heading));
    }
  }
  return program;
}

/** What commander complains of, without repeating words that may be a secret in the wrong place. */
function complaint(text: string): string {
  return text.replace(/^error: /, "agentpair: ").replace(/(^agentpair: too many arguments .* but got \d+): .*/m, "$1.");
}
