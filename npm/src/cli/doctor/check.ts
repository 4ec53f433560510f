/** What one check found. */
export interface Check {
  /** What was looked at. */
  name: string;
  state: "ok" | "warn" | "fail";
  /** What was found, in one sentence without a full stop. */
  found: string;
  /** What to do about it. */
  advice?: string;
}

/** Nothing to do. */
export const ok = (name: string, found: string): Check => ({ name, state: "ok", found });
/** It works, and could be better. */
export const warn = (name: string, found: string, advice: string): Check => ({ name, state: "warn", found, advice });
/** It does not work. */
export const fail = (name: string, found: string, advice: string): Check => ({ name, state: "fail", found, advice });
