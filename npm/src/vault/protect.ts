import type { AgentPairError } from "../errors.js";
import { asAgentPairError } from "../errors.js";
import { openDatabase } from "../store/node-sqlite.js";
import { databaseOf, SqliteStore, type StoreOptions } from "../store/sqlite.js";
import { explain } from "../store/sqlite-errors.js";
import { SystemKeychain } from "./keychain.js";
import { forgetVault, makeVault, type Protection } from "./protection.js";

/** What {@link protectKeys} did. */
export interface Protected {
  /** How the keys were protected before. */
  before: Protection;
  /** Whether the file has no trace any more of how the keys lay there before. Otherwise: end the others, and try again. */
  isErased: boolean;
  /** Set if the old key is still in the keychain. It opens nothing any more. */
  leftover: AgentPairError | undefined;
}

/** How the keys in the store of a directory are protected; nothing has to be opened for that. */
export async function protectionIn(directory: string): Promise<Protection> {
  const database = await openDatabase(databaseOf(directory), { readOnly: true });
  try {
    // The schema before had no vault.
    const { user_version: version } = database.prepare("PRAGMA user_version").get() ?? {};
    if (Number(version) < 2) return "file";
    return String(database.prepare("SELECT protection FROM vault").get()?.protection) as Protection;
  } catch (error) {
    throw explain(error, databaseOf(directory));
  } finally {
    database.close();
  }
}

/**
 * Protects the keys of a directory otherwise: every key is sealed anew, all in one transaction, and what was there
 * before is erased from the file. Other processes that use the directory go on if they can open the new vault; if not,
 * whatever is asked of them is refused with `vault_locked`.
 *
 * The passphrase of `options` opens the vault as it is now; `passphrase` is the new one.
 *
 * @throws AgentPairError as `SqliteStore.open` does, and `invalid_argument` if the new passphrase is too short.
 */
export async function protectKeys(
  directory: string,
  to: Protection,
  passphrase: string | undefined,
  options: StoreOptions = {},
): Promise<Protected> {
  const keychain = options.keychain ?? new SystemKeychain();
  const store = await SqliteStore.open(directory, { ...options, keychain });
  try {
    const { row, vault } = await makeVault(to, keychain, passphrase);
    const before = await store.protect(row, vault).catch(async (error: unknown) => {
      await forgetVault(row, keychain).catch(() => {});
      throw error;
    });
    const isErased = await store.eraseTraces();
    const leftover = await forgetVault(before, keychain).then(() => undefined, asAgentPairError);
    return { before: before.protection as Protection, isErased, leftover };
  } finally {
    await store.close();
  }
}
