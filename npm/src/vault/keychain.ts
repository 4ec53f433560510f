import { AgentPairError } from "../errors.js";

/** Keeps the keys of vaults, by their vaults' ids. */
export interface Keychain {
  /** The key of a vault, if it is there. */
  load(id: string): Promise<Uint8Array | undefined>;
  store(id: string, key: Uint8Array): Promise<void>;
  /** Removes a key; it may be gone already. */
  remove(id: string): Promise<void>;
}

const SERVICE = "agentpair";
/** How long the human may take to unlock the keychain, in milliseconds. */
const PATIENCE = 120_000;

/**
 * The keychain of the operating system: Keychain of macOS, Credential Manager of Windows, Secret Service of a Linux
 * desktop. Its package is fetched when it is first needed.
 *
 * Each method throws AgentPairError `keychain_unavailable`; the first one also what `fetched()` throws.
 */
export class SystemKeychain implements Keychain {
  readonly #onStart: ((text: string) => void) | undefined;

  /** @param onStart told, in words, when the package has to be fetched. */
  constructor(onStart?: (text: string) => void) {
    this.#onStart = onStart;
  }

  load(id: string): Promise<Uint8Array | undefined> {
    return this.#use(id, async (entry) => {
      const key = await entry.getSecret();
      return key ? Uint8Array.from(key) : undefined;
    });
  }

  store(id: string, key: Uint8Array): Promise<void> {
    return this.#use(id, (entry) => entry.setSecret(key));
  }

  remove(id: string): Promise<void> {
    return this.#use(id, async (entry) => {
      await entry.deleteCredential();
    });
  }

  async #use<T>(id: string, work: (entry: Entry) => Promise<T>): Promise<T> {
    // Few owners need it.
    const { fetched, importFrom } = await import("../cli/fetched.js");
    const directory = await fetched("keyring", { onStart: this.#onStart });
    const { AsyncEntry } = await importFrom<KeyringPackage>(directory, "@napi-rs/keyring");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("it was not unlocked in time")), PATIENCE);
    });
    try {
      // Never the kernel's keyring, which the package would fall back to: it is empty after a restart.
      const entry = new AsyncEntry(SERVICE, id, { linux: { store: "secret-service" } });
      return await Promise.race([work(entry), tooLate]);
    } catch (cause) {
      throw unavailable(cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What is used of the package `@napi-rs/keyring`. */
interface KeyringPackage {
  AsyncEntry: new (service: string, account: string, options: { linux: { store: "secret-service" } }) => Entry;
}

interface Entry {
  getSecret(): Promise<readonly number[] | null>;
  setSecret(secret: Uint8Array): Promise<void>;
  deleteCredential(): Promise<boolean>;
}

function unavailable(cause: unknown): AgentPairError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const text = `the keychain of this user cannot be used (${why}): log in to the desktop session and unlock it, or keep the keys under a passphrase instead`;
  return new AgentPairError("keychain_unavailable", "caller", text, { cause });
}
