// The Worker's entry: the Rust handlers behind a guard.
//
// A panic in Rust ends the wasm instance. Without the guard, whoever waits for a future of that instance
// waits for ever, and a Durable Object hangs its caller. With it, everything in flight fails at once (the
// half-written rows of the object that panicked are rolled back with it), and the next call gets a new instance.

import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import * as relay from "./bindings.js";

const state = relay.__worker_init_state();

/** The instance is gone; the next call makes another. */
let dead = false;
/** Counts instances: an object made by an earlier one must be made again. */
let generation = 0;
/** Calls whose promise may never settle by itself. */
const flights = new Set();

function die() {
  dead = true;
  for (const flight of [...flights]) {
    flights.delete(flight);
    flight.reject(new Error("the wasm instance was lost"));
    try {
      flight.ctx?.abort("the wasm instance was lost");
    } catch {
      // An object can be aborted from its own request only. The others were answered above, which is enough.
    }
  }
}

// The panic hook of the `worker` crate sets this before the trap.
Object.defineProperty(state, "criticalError", {
  get: () => dead,
  set: (value) => {
    if (value) die();
  },
});

// A trap without a panic (out of memory, stack overflow) shows only as its error.
function note(error) {
  if (error instanceof WebAssembly.RuntimeError && !dead) die();
}
addEventListener("error", (event) => note(event.error));

function heal() {
  if (!dead) return;
  relay.__wbg_reset_state();
  dead = false;
  generation += 1;
  state.instanceId += 1;
}

/** Runs a Rust handler so that it settles even if its instance is lost. */
function guard(ctx, call) {
  return new Promise((resolve, reject) => {
    const flight = { reject, ctx };
    flights.add(flight);
    const settle = (how) => (value) => {
      flights.delete(flight);
      how(value);
    };
    const fail = (error) => {
      note(error);
      settle(reject)(error);
    };
    try {
      heal();
      Promise.resolve(call()).then(settle(resolve), fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** A Durable Object class whose Rust half is made again when its instance was lost. */
function guarded(Rust) {
  return class extends DurableObject {
    #half;
    #generation;

    #call(method, values) {
      return guard(this.ctx, () => {
        try {
          return this.#made()[method](...values);
        } catch (error) {
          // The bindings may have replaced the instance on their own; then nothing has run yet.
          if (!(error instanceof Error && error.message.startsWith("Invalid stale object"))) throw error;
          this.#half = undefined;
          return this.#made()[method](...values);
        }
      });
    }

    #made() {
      if (this.#half === undefined || this.#generation !== generation) {
        this.#half = new Rust(this.ctx, this.env);
        this.#generation = generation;
      }
      return this.#half;
    }

    fetch(request) {
      return this.#call("fetch", [request]);
    }

    alarm() {
      return this.#call("alarm", []);
    }

    webSocketMessage(socket, message) {
      return this.#call("webSocketMessage", [socket, message]);
    }

    webSocketClose(socket, code, reason, wasClean) {
      return this.#call("webSocketClose", [socket, code, reason, wasClean]);
    }

    webSocketError(socket, error) {
      return this.#call("webSocketError", [socket, error]);
    }
  };
}

export const Inbox = guarded(relay.Inbox);
export const PairSession = guarded(relay.PairSession);
export const Invite = guarded(relay.Invite);

export default class extends WorkerEntrypoint {
  async fetch(request) {
    try {
      return await guard(null, () => relay.fetch(request, this.env, this.ctx));
    } catch (error) {
      console.error(`broken: ${error}`);
      const headers = {
        "content-type": "application/json",
        "cache-control": "no-store",
        "access-control-allow-origin": "*",
        date: new Date().toUTCString(),
      };
      return new Response('{"error":"internal"}', { status: 500, headers });
    }
  }
}
