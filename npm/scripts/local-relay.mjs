// The relay of `agentpair relay`, with the miniflare and the Worker of this repository: for `make relay` and for tests.
import { resolve } from "node:path";
import * as miniflare from "miniflare";
import { startRelay as start } from "../src/cli/local-relay.mjs";

export { BRAKES, freePort, workerVariables } from "../src/cli/local-relay.mjs";

const BUILD = resolve(import.meta.dirname, "../../worker-relay/build");

/**
 * Starts a relay.
 *
 * @param {import("../src/cli/local-relay.d.mts").RelayOptions} options without `build`: that of `make build-worker`
 * @returns {Promise<import("../src/cli/local-relay.d.mts").LocalRelay>}
 */
export function startRelay(options) {
  return start(miniflare, { build: BUILD, ...options });
}
