import { createHash } from "node:crypto";

/** A part behind its length, as transcripts have it. */
export function lengthPrefixed(part: string | Buffer): Buffer {
  const bytes = Buffer.from(part);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A number in eight bytes, as transcripts have it. */
export function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** The binding of a plaintext to its envelope, ENV-8. */
export function bind(from: string, to: string, id: string, type: string, thread: string, seq: number): string {
  const hash = createHash("sha256").update("agentpair-bind-v1\0");
  for (const text of [from, to, id, type, thread]) hash.update(lengthPrefixed(text));
  return hash.update(eightBytes(seq)).digest().subarray(0, 16).toString("base64url");
}

/** What a ratification says, short of its signature. */
export interface Approved {
  agreement: string;
  signer: string;
  approved_at: number;
  offer_expires_at: number;
  channel: string;
}

/** The bytes that a ratification signs, RAT-3. */
export function ratifyBytes({ agreement, signer, approved_at, offer_expires_at, channel }: Approved): Buffer {
  return Buffer.concat([
    Buffer.from("agentpair-ratify-v1\0"),
    Buffer.from(agreement, "hex"),
    lengthPrefixed(signer),
    eightBytes(approved_at),
    eightBytes(offer_expires_at),
    lengthPrefixed(channel),
  ]);
}
