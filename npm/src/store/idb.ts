/** The result of a request. Its transaction stays open while what follows runs at once. */
export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves when a transaction is durable; rejects with the reason if it was undone. */
export function completed(transaction: IDBTransaction): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException("it was undone", "AbortError"));
  });
  // Who leaves by another error does not look at this one.
  done.catch(() => {});
  return done;
}

/** Undoes a transaction, if it is not over. */
export function undo(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It is over.
  }
}
