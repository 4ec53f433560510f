/** What the browser says about the space of this page. */
export interface Persistence {
  /** Whether the browser has promised not to remove the data by itself. */
  persisted: boolean;
  /** Bytes in use, as far as the browser tells. */
  usage: number | undefined;
  /** Bytes that may be used. */
  quota: number | undefined;
}

/** Asks the browser to keep the data of this page until the user removes it, and tells how things stand. */
export async function persistence(): Promise<Persistence> {
  // Absent on a page that came by plain http.
  const storage: Partial<StorageManager> | undefined = globalThis.navigator?.storage;
  const isKept = async () => (await storage?.persisted?.()) || (await storage?.persist?.());
  const [persisted, estimate] = await Promise.all([
    isKept().catch(() => false),
    Promise.resolve(storage?.estimate?.()).catch(() => undefined),
  ]);
  return { persisted: persisted ?? false, usage: estimate?.usage, quota: estimate?.quota };
}
