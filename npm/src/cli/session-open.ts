import type { Command } from "commander";
import { AgentPairError } from "../errors.js";
import type { Criterion, Open } from "../wasm/agentpair.js";
import type { Call } from "./call.js";
import { readNamedFile } from "./files.js";
import { findSession } from "./find-session.js";
import { positive } from "./numbers.js";
import { untilSent } from "./sent.js";
import { sessionJson } from "./session-view.js";
import { decode } from "./stdin.js";
import { act } from "./verb.js";

interface Options {
  goal?: string;
  criterion?: Criterion[];
  turns: number;
  hours: number;
  may: string[];
  human: string[];
  terms?: string;
}

/** `agentpair session open`. */
export function registerOpen(command: Command): void {
  command
    .description("ask the other side's human to negotiate")
    .argument("<peer>", "petname or id")
    .option("--goal <words>", "what shall be agreed")
    .option("--criterion <id:words>", "when it is good enough; may be given more than once", criterion)
    .option("--turns <number>", "turns of both sides together", positive, 20)
    .option("--hours <number>", "until the deadline", positive, 24)
    .option("--may <act...>", "what the agents may do by themselves", ["propose", "counter", "accept"])
    .option("--human <act...>", "what only the humans may do", ["ratify"])
    .option("--terms <file>", "all of this from a JSON file: {goal, acceptance, budget, mandate}");
  act(command, open);
}

async function open(call: Call, peer: string, options: Options): Promise<void> {
  const terms = options.terms === undefined ? termsOf(options) : termsIn(options.terms);
  const host = await call.host();
  const { id: bond } = await host.bond(peer);
  const thread = await host.openSession(bond, terms);
  const found = await findSession(host, thread, bond);
  call.print(sessionJson(found), () => thread);
  await untilSent(call, host, bond);
  call.say("The other side's human decides whether to negotiate. See: agentpair session show");
}

function termsOf({ goal, criterion: acceptance = [], turns, hours, may, human }: Options): Open {
  if (goal === undefined) {
    throw new AgentPairError("invalid_argument", "caller", "say with --goal what shall be agreed, or give --terms");
  }
  const deadline = new Date(Date.now() + hours * 3_600_000).toISOString();
  const mandate = { agent_may: [...may], human_required: [...human] };
  return { goal, acceptance, budget: { max_turns: turns, deadline }, mandate };
}

function termsIn(file: string): Open {
  try {
    return JSON.parse(decode(readNamedFile(file), file)) as Open;
  } catch (error) {
    if (error instanceof AgentPairError) throw error;
    throw new AgentPairError("invalid_argument", "caller", `${file} is not JSON: ${(error as Error).message}`);
  }
}

/** `money: Amounts cannot lose a cent`. */
function criterion(text: string, before: Criterion[] = []): Criterion[] {
  const [, id = "", desc = ""] = /^([^:\s]+):\s*(.+)$/s.exec(text) ?? [];
  if (id === "") {
    const words = `a criterion is a short name, a colon and words, such as "money: Amounts cannot lose a cent"`;
    throw new AgentPairError("invalid_argument", "caller", words);
  }
  return [...before, { id, test: "judgment", desc }];
}
