import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The most that a request may bring, in bytes. */
export const BODY_LIMIT = 4_096;

/** Sent with every answer: nothing but our own files runs, nothing is kept, framed or told to others. */
export const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Lets through what comes from our own page, as our own browser sends it, and nothing else. */
export class PageGuard {
  readonly #host: string;
  readonly #origin: string;
  readonly #token: Buffer;

  /** @param host `127.0.0.1:port`. */
  constructor(host: string, token: string) {
    this.#host = host;
    this.#origin = `http://${host}`;
    this.#token = digest(token);
  }

  /** Whether a browser was sent here by our address: a name that was pointed at this machine is another one. */
  knowsHost({ headers }: IncomingMessage): boolean {
    return headers.host === this.#host;
  }

  /** Whether a call comes from our page, opened with the token that the terminal showed. */
  admits({ headers }: IncomingMessage): boolean {
    const site = headers["sec-fetch-site"];
    if (headers.origin !== this.#origin || (site !== undefined && site !== "same-origin")) return false;
    const [, token = ""] = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
    return timingSafeEqual(digest(token), this.#token);
  }
}

/** Whether a request says that it brings JSON. A form of another site cannot. */
export function bringsJson({ headers }: IncomingMessage): boolean {
  return /^application\/json(; *charset=utf-8)?$/i.test(headers["content-type"] ?? "");
}

/** The body of a request; nothing if it is longer than {@link BODY_LIMIT}. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Of equal length, so that they can be compared in constant time. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
