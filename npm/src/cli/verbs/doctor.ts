import { styleText } from "node:util";
import { Option } from "commander";
import { printable } from "../../host/approval-text.js";
import type { Call } from "../call.js";
import { dataDirOf, relayOf } from "../data-dir.js";
import { type Check, ok } from "../doctor/check.js";
import { CLIENTS, thisServer } from "../doctor/clients.js";
import { checkDirectory } from "../doctor/directory.js";
import { checkRelay } from "../doctor/relay.js";
import { checkStore } from "../doctor/store.js";
import { EXIT } from "../exit.js";
import { act, type Verb } from "../verb.js";

export default {
  summary: "check what AgentPair needs here, and show MCP client configurations",
  register(command) {
    command.addOption(
      new Option("--config <client>", "print the configuration of an MCP client instead").choices(Object.keys(CLIENTS)),
    );
    act(command, doctor);
  },
} satisfies Verb;

async function doctor(call: Call, { config }: { config?: string }): Promise<number> {
  const [directory, relay] = [dataDirOf(call.open), relayOf(call.open)];
  if (config !== undefined) return showConfig(call, config, directory, relay);
  const checks: Check[] = [ok("Node.js", `${process.versions.node}, on ${process.platform} ${process.arch}`)];
  checks.push(...checkDirectory(directory));
  checks.push(...(await call.progress("opening the store", checkStore(call, directory))));
  checks.push(...(await call.progress("asking the relay", checkRelay(relay, call.signal))));
  const isWell = checks.every(({ state }) => state !== "fail");
  call.print({ ok: isWell, data_dir: directory, relay, checks }, () => checks.flatMap(lines));
  call.say("Set up an MCP client: agentpair doctor --config NAME");
  return isWell ? EXIT.done : EXIT.failed;
}

const COLOURS = { ok: "green", warn: "yellow", fail: "red" } as const;

function lines({ name, state, found, advice }: Check): string[] {
  const mark = styleText(COLOURS[state], state.padEnd(4), { stream: process.stdout });
  const line = `${mark}  ${name}: ${printable(found)}`;
  return advice === undefined ? [line] : [line, `      → ${printable(advice)}`];
}

/** Only what differs from the defaults is in it: a client may run with another environment than this shell. */
function showConfig(call: Call, name: string, directory: string, relay: string): number {
  const env = {
    ...(directory !== dataDirOf({ dataDir: undefined }, {}) && { AGENTPAIR_DATA_DIR: directory }),
    ...(relay !== relayOf({ relay: undefined }, {}) && { AGENTPAIR_RELAY_URL: relay }),
  };
  const make = CLIENTS[name];
  if (!make) return EXIT.usage;
  const { where, text } = make(thisServer(env));
  call.print({ client: name, where, config: text }, () => text);
  call.say(`${where[0]?.toUpperCase()}${where.slice(1)}.`);
  return EXIT.done;
}
