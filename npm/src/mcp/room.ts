/**
 * Most bytes of a result's JSON. A token of a model is one byte at least, so no result has more tokens than this,
 * whatever a peer wrote.
 */
export const RESULT_BYTES = 19_000;
/** Of them, what the questions that wait for the human may take. */
export const WAITING_BYTES = 4_500;
/** Of them, what lists and texts may take. */
export const ROOM_BYTES = 13_000;

/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** What is left of a result's room while a list is filled. */
export class Room {
  #left: number;

  constructor(bytes: number = ROOM_BYTES) {
    this.#left = bytes;
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#left;
  }

  /** Takes the room that a value needs, if there is enough of it. */
  take(value: unknown): boolean {
    const bytes = jsonBytes(value) + 1;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
