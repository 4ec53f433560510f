import { AgentPairError } from "../errors.js";

/**
 * For what only a human may do: standard input, output and error have to be a terminal. A program can make one, so this
 * keeps out accidents, and agents that do not mean to pass for their human.
 *
 * @param what completes "this needs a terminal, …".
 * @throws AgentPairError `no_terminal`.
 */
export function mustBeTerminal(what: string): void {
  const { stdin, stdout, stderr } = process;
  if (stdin.isTTY && stdout.isTTY && stderr.isTTY) return;
  throw new AgentPairError("no_terminal", "policy", `this needs a terminal, ${what}: type the command there yourself`);
}
