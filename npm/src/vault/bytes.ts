import { encodeHex } from "../bytes.js";

/** Length of a length, in bytes. */
export const LENGTH_BYTES = 4;

/** A length, big endian. */
export function lengthBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

export function readLength(bytes: Uint8Array, at = 0): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

/** Lowercase hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
