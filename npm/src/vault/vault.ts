import { decodeBase64url, encodeBase64url } from "../base64url.js";
import { AgentPairError } from "../errors.js";
import { openBox, sealBox } from "../wasm/agentpair.js";

/** Length of a vault's key, in bytes. */
export const KEY_BYTES = 32;
/** In front of every sealed value: no JSON begins like that. The store's schema knows it too. */
const MARK = "sealed1:";

/** Whether a record holds keys. No other record does, and no other is sealed. */
export function holdsKeys(key: string): boolean {
  return key.startsWith("secret");
}

/** What stands between the records that hold keys and the disk. Without a key of its own it lets them pass as they are. */
export class Vault {
  readonly #key: Uint8Array | undefined;

  constructor(key?: Uint8Array) {
    this.#key = key;
  }

  /** The value of a record as it goes to the disk. */
  seal(key: string, value: string): string {
    if (!this.#key || !holdsKeys(key)) return value;
    return MARK + encodeBase64url(sealBox(this.#key, key, new TextEncoder().encode(value)));
  }

  /**
   * The value of a record that came from the disk.
   *
   * @throws AgentPairError `corrupt_record` if it was not sealed by this vault, for this record.
   */
  open(key: string, stored: string): string {
    if (!holdsKeys(key)) return stored;
    const isSealed = stored.startsWith(MARK);
    if (isSealed !== (this.#key !== undefined)) throw corruptRecord(key);
    if (!this.#key) return stored;
    try {
      const bytes = openBox(this.#key, key, decodeBase64url(stored.slice(MARK.length)));
      return new TextDecoder().decode(bytes);
    } catch (error) {
      throw corruptRecord(key, error);
    }
  }
}

function corruptRecord(key: string, cause?: unknown): AgentPairError {
  const table = key.split("/", 1)[0];
  return new AgentPairError("corrupt_record", "bug", `a record of ${table} does not open`, { cause });
}
