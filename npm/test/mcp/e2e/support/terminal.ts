import { after } from "node:test";
import { Terminal } from "../../../support/terminal.ts";
import { PROGRAM } from "./wire.ts";

/**
 * Runs `agentpair` at a pseudo-terminal, and types an answer after each prompt, in order. Whoever has a shell can do
 * that.
 */
export async function atTerminal(
  dataDir: string,
  relay: string,
  words: readonly string[],
  answers: readonly (readonly [RegExp, string])[],
): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, AGENTPAIR_DATA_DIR: dataDir, AGENTPAIR_RELAY_URL: relay };
  const terminal = new Terminal({ after }, [PROGRAM, ...words], env);
  for (const [question, line] of answers) await terminal.answers(question, line);
  return { code: await terminal.end(), output: terminal.raw };
}
