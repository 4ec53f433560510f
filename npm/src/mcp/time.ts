/** An instant of unix milliseconds in ISO 8601. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** An instant that somebody wrote, in one spelling. */
export function utc(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? "" : iso(at);
}
