import type { PageState } from "../page-items.js";

/** What went wrong, by name and in words; `ended` if the page is not served any more. */
export class CallFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

// The token comes behind `#`, which no browser sends. It leaves the address at once: no history keeps it.
const token = location.hash.slice(1);
history.replaceState(null, "", "/");

/** Whether the page was opened with its whole address. */
export const hasToken = token.length > 0;

/** What waits. `active`: the human did something since the last time. */
export function waiting(active: boolean): Promise<PageState> {
  return call("/waiting", { active });
}

/** Decides what was shown. */
export function decide(shown: { id: string; digest: string }, word: Decided): Promise<unknown> {
  return call("/decide", { id: shown.id, digest: shown.digest, ...word });
}

/** What the human said. */
export interface Decided {
  decision: "approve" | "reject";
  pin?: string;
  reason?: string;
}

async function call<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
  }).catch(() => {
    throw new CallFailed("ended", "This page has ended.");
  });
  if (response.status === 403) throw new CallFailed("forbidden", "This page was opened without its whole address.");
  if (response.status === 413) throw new CallFailed("too_long", "Your words are too long.");
  const answer = await response.json();
  if (answer.error) throw new CallFailed(answer.error.code, answer.error.message);
  return answer;
}
