import type { Effect, Input } from "../wasm/agentpair.js";
import { readBytes } from "./body.js";

type CallEffect = Extract<Effect, { effect: "call" }>;
type Report = (input: Extract<Input, { input: "answer" | "no_answer" }>) => void;

/** Makes the engine's HTTP requests. Each is reported once, unless it was dropped. */
export class Calls {
  #report: Report;
  #flying = new Set<AbortController>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** Starts a request. */
  start(effect: CallEffect): void {
    const controller = new AbortController();
    const timer = setTimeout(
      () => controller.abort(new Error(`no answer within ${effect.timeoutMs / 1000} s`)),
      effect.timeoutMs,
    );
    this.#flying.add(controller);
    this.#run(effect, controller.signal)
      .catch((reason) => ({ input: "no_answer", call: effect.call, reason: inWords(reason) }) as const)
      .then((input) => {
        clearTimeout(timer);
        // Whoever was dropped has nobody left to report to.
        if (this.#flying.delete(controller)) this.#report(input);
      });
  }

  /** Aborts all requests; none of them is reported. */
  drop(): void {
    const flying = [...this.#flying];
    this.#flying.clear();
    for (const controller of flying) controller.abort(new Error("dropped"));
  }

  async #run(effect: CallEffect, signal: AbortSignal) {
    const response = await fetch(effect.relay + effect.path, {
      method: effect.method,
      headers: effect.headers,
      body: (effect.bytes as Uint8Array<ArrayBuffer> | undefined) ?? effect.body ?? null,
      signal,
      // A relay that sends its callers elsewhere is not the relay that the owner chose.
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    const { status, headers } = response;
    const bytes = await readBytes(response, effect.answerLimit);
    return {
      input: "answer",
      call: effect.call,
      status,
      retryAfter: retryAfter(headers.get("retry-after"), Date.now()),
      date: dateOf(headers.get("date")),
      // Lossy where it is not UTF-8: then it is nonsense anyway.
      ...(effect.wantsBytes && status === 200 ? { body: "", bytes } : { body: new TextDecoder().decode(bytes) }),
    } as const;
  }
}

/** Unix milliseconds, from a `Date` header. */
function dateOf(header: string | null): number | undefined {
  const date = Date.parse(header ?? "");
  return date >= 0 ? date : undefined;
}

/** Seconds to wait, from a `Retry-After` header in either of its forms. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), 86_400);
}

/** The innermost reason: `fetch` wraps the ones that say something. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return inWords(cause.errors[0]);
  return cause instanceof Error ? inWords(cause) : error.message;
}
