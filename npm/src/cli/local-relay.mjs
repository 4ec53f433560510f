// The relay's Worker on local workerd, with its data on disk: what `agentpair relay` and `make relay` run, and what
// tests start. JavaScript, since the scripts use it before anything is built.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { tryLock } from "./lock.mjs";

const ADDRESS = "127.0.0.1";

export const BRAKES = {
  LIMITER_CHALLENGE: { limit: 300, period: 60 },
  LIMITER_PAIR: { limit: 120, period: 60 },
  LIMITER_PUBLISH: { limit: 30, period: 60 },
  LIMITER_CLAIM: { limit: 30, period: 60 },
  LIMITER_REGISTER: { limit: 120, period: 60 },
  LIMITER_STRANGER: { limit: 60, period: 60 },
  LIMITER_WAIT: { limit: 120, period: 60 },
};

export async function freePort() {
  const server = createServer();
  await new Promise((done, fail) => server.once("error", fail).listen(0, ADDRESS, done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** The key of the relay's challenges: made once, readable by its owner only. */
function challengeKey(data) {
  const file = join(data, "challenge-key");
  try {
    writeFileSync(file, randomBytes(32).toString("base64url"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8");
}

/** One relay for one data directory: two would write the same databases. Returns how to give it back. */
function lock(data) {
  const file = join(data, "lock");
  const held = tryLock(file);
  if (typeof held === "function") return held;
  throw new Error(`process ${held || "unknown"} runs a relay on ${data} (if it does not, remove ${file})`);
}

export async function startRelay({ Log, LogLevel, Miniflare }, options) {
  // workerd would ask the network for the description of a request's origin.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  const data = resolve(options.data);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const unlock = lock(data);
  try {
    const port = options.port || (await freePort());
    const { build } = options;
    const object = (className) => ({ className, useSQLite: true });
    const miniflare = new Miniflare({
      name: "relay",
      rootPath: build,
      modulesRoot: build,
      modules: true,
      scriptPath: join(build, "index.js"),
      modulesRules: [
        { type: "ESModule", include: ["**/*.js"] },
        { type: "CompiledWasm", include: ["**/*.wasm"] },
      ],
      compatibilityDate: "2026-07-01",
      durableObjects: {
        INBOX: object("Inbox"),
        PAIR_SESSION: object("PairSession"),
        INVITE: object("Invite"),
      },
      durableObjectsPersist: join(data, "objects"),
      r2Buckets: ["ARTIFACTS"],
      r2Persist: join(data, "artifacts"),
      ratelimits: Object.fromEntries(
        Object.entries(options.brakes ?? {}).map(([name, simple], index) => [
          name,
          { namespace_id: String(5001 + index), simple },
        ]),
      ),
      bindings: {
        CHALLENGE_KEY: challengeKey(data),
        // Anyone can send any Host to a local relay, and challenges name the host that they are for.
        RELAY_HOSTS: `${ADDRESS}:${port},localhost:${port}`,
        ...options.variables,
      },
      host: ADDRESS,
      port,
      cf: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: (line) => {
        options.log?.(line);
      },
    });
    await miniflare.ready;
    const stop = async () => {
      try {
        await miniflare.dispose();
      } finally {
        unlock();
      }
    };
    return { url: `http://${ADDRESS}:${port}`, port, stop };
  } catch (error) {
    unlock();
    throw error;
  }
}

const VARIABLES = /^(RELAY_HOSTS|RELAY_REGISTRATION|ARTIFACT_[A-Z_]+|LIMIT_[A-Z_]+)$/;

export function workerVariables(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => VARIABLES.test(name) && value !== undefined && value !== ""),
  );
}
