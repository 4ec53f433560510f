/** Length of a length, in bytes. */
export const LENGTH_BYTES = 4;

export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** A length, big endian. */
export function lengthBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

export function readLength(bytes: Uint8Array, at = 0): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

/** Negative if one comes before the other, zero if they are equal. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** The order of SQLite: that of the bytes in UTF-8. */
export function compareKeys(one: string, other: string): number {
  const encoder = new TextEncoder();
  return compareBytes(encoder.encode(one), encoder.encode(other));
}

/** Lowercase hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
