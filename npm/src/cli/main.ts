import type { CommanderError } from "commander";
import { asAgentPairError } from "../errors.js";
import { inWords } from "./complaint.js";
import { EXIT, exitCode } from "./exit.js";
import { heedReaders, heedSignals, Interrupted } from "./interruption.js";
import { flushed, writeLine } from "./write.js";

/** Runs the command line, and ends the process. */
export async function main(given: readonly string[]): Promise<void> {
  heedSignals();
  heedReaders();
  // An MCP client starts the server without a word; a human who types no word wants to know which there are.
  const words = given.length === 0 ? [process.stdin.isTTY ? "--help" : "mcp"] : given;
  try {
    await run(words);
  } catch (error) {
    process.exitCode = told(error, words.includes("--json"));
  }
  await flushed();
  // What a library left open must not keep a finished command alive.
  process.exit();
}

/** What these words ask for. A client waits for its server: nothing is loaded for it that it does not need. */
async function run(words: readonly string[]): Promise<void> {
  if (words.length === 1 && words[0] === "mcp") {
    const { serveStdio } = await import("../mcp/index.js");
    return serveStdio();
  }
  const { programOf } = await import("./program.js");
  await (await programOf(words)).parseAsync(words, { from: "user" });
}

/** Tells an error, and gives its exit code. */
function told(error: unknown, json: boolean): number {
  if (error instanceof Interrupted) return error.exit;
  // Commander has told it already; help and version are no errors.
  if (isCommanders(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const coded = asAgentPairError(error);
  const { code, blame } = coded;
  const message = inWords(coded);
  writeLine(process.stderr, json ? JSON.stringify({ error: { code, blame, message } }) : `agentpair: ${message}`);
  if (blame === "bug" && process.env.AGENTPAIR_DEBUG) writeLine(process.stderr, String((error as Error)?.stack));
  return exitCode(coded);
}

function isCommanders(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith("commander.");
}
