// Runs a relay in the foreground. PORT (3001) and DATA (./.data/relay) say where; it answers on this
// machine only. `--rate-limits` adds the brakes of a public relay, `--log` prints its log.
//
// The variables of the Worker can be set in the environment: RELAY_HOSTS (the names clients use, when a
// proxy stands in front), RELAY_REGISTRATION (a token: then only who has it may register), ARTIFACT_… and LIMIT_….

import { BRAKES, startRelay, workerVariables } from "./local-relay.mjs";

const FLAGS = ["--rate-limits", "--log"];

function refuse(message) {
  console.error(`relay: ${message}`);
  process.exit(1);
}

const flags = process.argv.slice(2);
const unknown = flags.find((flag) => !FLAGS.includes(flag));
if (unknown !== undefined) refuse(`unknown argument ${unknown} (known: ${FLAGS.join(", ")})`);

const port = Number(process.env.PORT ?? 3001);
if (!Number.isInteger(port) || port < 0 || port > 65_535) refuse(`PORT is no port number`);

const log = ({ level, message }) => {
  if (level === "error" || level === "warn" || flags.includes("--log")) console.error(message);
};

let relay;
try {
  relay = await startRelay({
    data: process.env.DATA || "./.data/relay",
    port,
    variables: workerVariables(process.env),
    brakes: flags.includes("--rate-limits") ? BRAKES : {},
    log,
  });
} catch (error) {
  refuse(error.message);
}

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"]) {
  // miniflare exits at once on a signal; this process stops in order instead.
  process.removeAllListeners(signal);
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    // Without this, workerd would go on serving as an orphan.
    await relay.stop();
    process.exit(0);
  });
}

console.log(`AgentPair relay: ${relay.url}`);
