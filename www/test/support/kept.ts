import type { Page } from "playwright-core";
import { readings } from "../../../npm/test/support/haystack.ts";

/** All that the browser keeps for the page, as text: bytes in base64. */
export function keptBy(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const found: { [place: string]: unknown } = {
      local: Object.entries(localStorage),
      session: Object.entries(sessionStorage),
      cookies: document.cookie,
      caches: await caches.keys(),
      state: history.state,
    };
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await resultOf(indexedDB.open(name));
      const transaction = database.transaction(database.objectStoreNames);
      for (const table of database.objectStoreNames) {
        const store = transaction.objectStore(table);
        found[`${name}/${table}`] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
      }
      database.close();
    }
    return JSON.stringify(found, (_, value) => {
      if (value instanceof CryptoKey) return { extractable: value.extractable };
      const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
      return bytes instanceof Uint8Array ? btoa(String.fromCharCode(...bytes)) : value;
    });
  });
}

/** What can be read in a text, whatever it is wrapped in but not encrypted with. */
export function readingsOf(text: string): Buffer[] {
  return readings([Buffer.from(text)]);
}
