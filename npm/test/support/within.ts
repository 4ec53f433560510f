/** Longer than anything here takes, in milliseconds. */
export const LIMIT_MS = 60_000;

/** Waits for something that has an end, or says what it waited for in vain. */
export async function within<T>(work: Promise<T>, what: string, limitMs = LIMIT_MS): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(limit);
  }
}
