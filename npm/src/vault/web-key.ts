import { KEY_BYTES } from "./vault.js";

/** What the store keeps of its vault: the key of the keys, under a key that no script can read. */
export interface VaultRow {
  v: 1;
  /** AES-GCM, 256 bits, not extractable. */
  wrapping: CryptoKey;
  iv: Uint8Array<ArrayBuffer>;
  /** The sealed key of the keys. */
  box: ArrayBuffer;
}

const CONTEXT = new TextEncoder().encode("agentpair-vault-web-v1");

/** Makes a new vault: a random key, and the row that keeps it. */
export async function makeRow(): Promise<VaultRow> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const wrapping = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const box = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: CONTEXT }, wrapping, key);
  key.fill(0);
  return { v: 1, wrapping, iv, box };
}

/** The key of a row; nothing if it does not open. It lives in memory only. */
export async function openRow(row: unknown): Promise<Uint8Array | undefined> {
  try {
    const { wrapping, iv, box } = row as VaultRow;
    const key = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: CONTEXT }, wrapping, box);
    return key.byteLength === KEY_BYTES ? new Uint8Array(key) : undefined;
  } catch {
    return undefined;
  }
}
