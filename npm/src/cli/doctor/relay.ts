import { readBytes } from "../../relay/body.js";
import { isHere } from "../complaint.js";
import { type Check, fail, ok, warn } from "./check.js";

/** How long a relay gets to answer, in milliseconds. */
const PATIENCE_MS = 10_000;
/** The longest answer that is read, in bytes. */
const LIMIT = 65_536;
/** A difference of clocks that breaks things, in seconds. */
const SKEW_S = 120;
/** What hosts need of a relay beyond the draft. */
const NEEDED = ["allowlist-version", "challenge-v1", "epoch", "invite"];

/** The relay: that it answers, that it is one, and that its clock and this one agree. */
export async function checkRelay(relay: string, signal: AbortSignal): Promise<Check[]> {
  const start = Date.now();
  let response: Response;
  try {
    response = await fetch(`${relay}/health`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      redirect: "error",
      cache: "no-store",
    });
  } catch (error) {
    signal.throwIfAborted();
    const advice = isHere(relay)
      ? "agentpair relay starts one here; or set AGENTPAIR_RELAY_URL to the one that the other side uses"
      : "check the address in AGENTPAIR_RELAY_URL, and the network";
    return [fail("relay", `no relay at ${relay} (${reason(error)})`, advice)];
  }
  const middle = (start + Date.now()) / 2;
  return [await conformance(relay, response, Date.now() - start), clock(response.headers.get("date"), middle)];
}

async function conformance(relay: string, response: Response, ms: number): Promise<Check> {
  const other = (what: string) => fail("relay", `${relay} is no relay (${what})`, "check AGENTPAIR_RELAY_URL");
  let health: { status?: unknown; relay_conformance?: unknown; extensions?: unknown };
  try {
    if (response.status !== 200) return other(`/health answers with status ${response.status}`);
    health = JSON.parse(new TextDecoder().decode(await readBytes(response, LIMIT)));
  } catch {
    return other("/health does not answer with JSON");
  }
  if (health?.relay_conformance !== "agentpair-relay/1") return other("/health does not say agentpair-relay/1");
  const extensions = Array.isArray(health.extensions) ? health.extensions : [];
  const missing = NEEDED.filter((name) => !extensions.includes(name));
  if (missing.length > 0) {
    return warn("relay", `${relay} answers, and lacks ${missing.join(", ")}`, "let its operator update it");
  }
  return ok("relay", `${relay} answers after ${ms} ms, and conforms`);
}

function clock(date: string | null, now: number): Check {
  const there = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(there)) {
    return warn("clock", "the relay does not tell its time", "compare this machine's clock by other means");
  }
  // Its header has whole seconds, cut off.
  const seconds = Math.round((now - (there + 500)) / 1_000);
  const found = `this machine is ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} the relay`;
  if (Math.abs(seconds) <= SKEW_S) return ok("clock", found);
  return warn("clock", found, "set this machine's clock, or the relay's: envelopes carry their time");
}

function reason(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: { code?: unknown; message?: unknown } };
  if (name === "TimeoutError") return `no answer within ${PATIENCE_MS / 1_000} s`;
  return String(cause?.code ?? cause?.message ?? message);
}
