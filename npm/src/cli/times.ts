const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An instant as it stands in JSON. */
export function iso(ms: number): string;
export function iso(ms: number | undefined): string | undefined;
export function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** How long ago an instant was, for humans: `3 min ago`. */
export function ago(ms: number, now = Date.now()): string {
  const since = now - ms;
  return since < MINUTE ? "just now" : `${span(since)} ago`;
}

/** How long it is until an instant, for humans: `in 3 min`. */
export function until(ms: number, now = Date.now()): string {
  const left = ms - now;
  if (left <= 0) return "over";
  return left < MINUTE ? "in less than a minute" : `in ${span(left)}`;
}

/** What is left until an instant, as a clock shows it: `9:05`. */
export function countdown(ms: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.ceil((ms - now) / 1_000));
  const clock = `${Math.floor(seconds / 60) % 60}:${String(seconds % 60).padStart(2, "0")}`;
  return seconds < 3_600 ? clock : `${Math.floor(seconds / 3_600)}:${clock.padStart(5, "0")}`;
}

function span(ms: number): string {
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} days`;
}
