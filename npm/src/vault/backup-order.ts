import { compareBytes } from "../bytes.js";
import type { LiveRecord } from "../store/store.js";

const encoder = new TextEncoder();

/** Records in the order of a backup, which is SQLite's: that of their keys' bytes in UTF-8. */
export function inOrder(records: readonly LiveRecord[]): LiveRecord[] {
  // Each key once: a sort compares each of them many times.
  const rows = records.map((record) => ({ record, bytes: encoder.encode(record.key) }));
  rows.sort((one, other) => compareBytes(one.bytes, other.bytes));
  return rows.map(({ record }) => record);
}

/** Sees to it that keys come in that order, and none twice. */
export class KeyOrder {
  #last: Uint8Array | undefined;

  /** Whether the next key comes after the one before. */
  takes(key: string): boolean {
    const bytes = encoder.encode(key);
    const isNext = this.#last === undefined || compareBytes(this.#last, bytes) < 0;
    this.#last = bytes;
    return isNext;
  }
}
