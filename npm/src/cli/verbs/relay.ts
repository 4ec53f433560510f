import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentPairError } from "../../errors.js";
import type { Call } from "../call.js";
import { fetched, importFrom } from "../fetched.js";
import { heedSignals } from "../interruption.js";
import { BRAKES, startRelay, workerVariables } from "../local-relay.mjs";
import { natural } from "../numbers.js";
import { act, type Verb } from "../verb.js";

interface Options {
  port: number;
  data?: string;
  rateLimits?: boolean;
  log?: boolean;
}

export default {
  summary: "run a relay on this machine",
  register(command) {
    command
      .option("--port <number>", "where it answers, on 127.0.0.1; 0 takes a free port", natural, 3001)
      .option("--data <directory>", "where it keeps mail and invites (~/.agentpair-relay)")
      .option("--rate-limits", "with the brakes of a public relay")
      .option("--log", "print what it logs")
      .addHelpText(
        "after",
        "\nBefore the first run, workerd and miniflare are fetched by your npm: once, with fixed hashes; they take about 170 MB.\n" +
          "Variables of the Worker can be set in the environment: RELAY_HOSTS, RELAY_REGISTRATION, ARTIFACT_…, LIMIT_….",
      );
    act(command, relay);
  },
} satisfies Verb;

async function relay(call: Call, { port, data, rateLimits, log }: Options): Promise<void> {
  if (port > 65_535) throw new AgentPairError("invalid_argument", "caller", `${port} is no port number`);
  const { signal } = call;
  const directory = await call.progress(
    "fetching what a relay needs",
    fetched("miniflare", { onStart: (text) => call.say(text), signal }),
  );
  const miniflare = await importFrom(directory, "miniflare");
  const starting = startRelay(miniflare, {
    // Bundled code lies one directory deep in dist/.
    build: fileURLToPath(new URL("../worker", import.meta.url)),
    data: data ?? join(homedir(), ".agentpair-relay"),
    port,
    variables: workerVariables(process.env),
    brakes: rateLimits ? BRAKES : {},
    log: ({ level, message }) => {
      if (log || level === "error" || level === "warn") call.say(message);
    },
  });
  const running = await call.progress("starting", starting).catch((error) => {
    throw cannotStart(error, port);
  });
  // miniflare ends the process at once on a signal; workerd would go on as an orphan.
  heedSignals();
  try {
    call.print({ url: running.url }, () => `AgentPair relay: ${running.url}`);
    await aborted(signal);
  } finally {
    await running.stop();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

function cannotStart(error: Error, port: number): AgentPairError {
  const isTaken = /address already in use|EADDRINUSE/i.test(error.message);
  const text = isTaken
    ? `port ${port} is taken: a relay may run there already; choose another one with --port`
    : `the relay cannot start: ${error.message}`;
  return new AgentPairError("relay_not_started", "caller", text, { cause: error });
}
