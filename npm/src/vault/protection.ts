import { randomBytes } from "node:crypto";
import { AgentPairError } from "../errors.js";
import "../load/node.js";
import { openBox, sealBox } from "../wasm/agentpair.js";
import { isKdf, KDF, SALT_BYTES } from "./kdf.js";
import type { Keychain } from "./keychain.js";
import { newPassphrase, normal } from "./new-passphrase.js";
import type { PassphraseSource } from "./passphrase.js";
import { stretched } from "./stretch.js";
import { KEY_BYTES, Vault } from "./vault.js";

/**
 * How the keys of a data directory are protected: `file` by the permissions of the file alone; under a random key that
 * is in the `keychain` of the operating system, or that a `passphrase` opens.
 */
export type Protection = "file" | "keychain" | "passphrase";

/** What the store remembers of its vault. */
export interface VaultRow {
  protection: string;
  /** JSON: {@link About}; nothing for `file`. */
  about: string | undefined;
}

/** Where keys and passphrases come from. */
export interface VaultSources {
  keychain: Keychain;
  passphrase: PassphraseSource | undefined;
}

/** Version 1 of what is stored beside the records. */
interface About {
  v: 1;
  /** Name of the vault: of its entry in the keychain. */
  id: string;
  /** base64url of a box: for `keychain` an empty one under the vault's key, for `passphrase` that key under the passphrase's. */
  box: string;
  /** For `passphrase`: how its key is made, with the salt in base64url. */
  kdf?: typeof KDF & { salt: string };
}

/**
 * Opens the vault of a store. `where` is its directory, for errors.
 *
 * @throws AgentPairError `vault_locked`, `wrong_passphrase`, `keychain_unavailable`, `store_too_new`, `store_corrupt`.
 */
export async function unlock(row: VaultRow, sources: VaultSources, where: string): Promise<Vault> {
  switch (row.protection) {
    case "file":
      return new Vault();
    case "keychain":
      return new Vault(await fromKeychain(aboutOf(row, where), sources.keychain, where));
    case "passphrase":
      return new Vault(await fromPassphrase(aboutOf(row, where), sources.passphrase, where));
    default:
      throw tooNew(where);
  }
}

/**
 * Makes a new vault: a random key, kept where the protection says. Nothing of a store is changed by it.
 *
 * @param passphrase the new one, for `passphrase`.
 * @throws AgentPairError `keychain_unavailable`, `invalid_argument`.
 */
export async function makeVault(
  protection: Protection,
  keychain: Keychain,
  passphrase?: string,
): Promise<{ row: VaultRow; vault: Vault }> {
  if (protection === "file") return { row: { protection, about: undefined }, vault: new Vault() };
  const key = randomBytes(KEY_BYTES);
  const id = randomBytes(16).toString("hex");
  const about: About =
    protection === "keychain"
      ? { v: 1, id, box: encode(sealBox(key, context(id), new Uint8Array())) }
      : { v: 1, id, ...(await wrapped(key, id, newPassphrase(passphrase ?? ""))) };
  if (protection === "keychain") {
    await keychain.store(id, key);
    // A keychain that forgets would take all keys with it.
    if (!key.equals((await keychain.load(id)) ?? new Uint8Array())) {
      const text = "the keychain of this user does not keep what it is given: keep the keys under a passphrase instead";
      throw new AgentPairError("keychain_unavailable", "caller", text);
    }
  }
  return { row: { protection, about: JSON.stringify(about) }, vault: new Vault(key) };
}

/** Removes what a vault that is no longer used has left in the keychain. */
export async function forgetVault({ protection, about }: VaultRow, keychain: Keychain): Promise<void> {
  if (protection !== "keychain" || about === undefined) return;
  const { id } = JSON.parse(about) as About;
  await keychain.remove(id);
}

async function fromKeychain({ id, box }: About, keychain: Keychain, where: string): Promise<Uint8Array> {
  const key = await keychain.load(id);
  if (!key) {
    const text = `the keychain of this user has no key for ${where}: log in as on the desktop where it was put there, or restore a backup`;
    throw new AgentPairError("vault_locked", "policy", text);
  }
  if (key.length === KEY_BYTES && opened(key, id, box)) return key;
  const text = `the keychain's key for ${where} is not the right one: restore a backup`;
  throw new AgentPairError("vault_locked", "policy", text);
}

async function fromPassphrase(about: About, source: PassphraseSource | undefined, where: string): Promise<Uint8Array> {
  const { id, box, kdf } = about;
  const salt = decode(kdf?.salt ?? "");
  if (!isKdf(kdf) || salt.length !== SALT_BYTES) throw tooNew(where);
  for (let attempt = 0; ; attempt++) {
    const passphrase = await source?.(attempt);
    if (passphrase === undefined) throw attempt === 0 ? locked(where) : wrong(where);
    const key = opened(await stretched(normal(passphrase), salt), id, box);
    if (key?.length === KEY_BYTES) return key;
  }
}

async function wrapped(key: Uint8Array, id: string, passphrase: string): Promise<Pick<About, "box" | "kdf">> {
  const salt = randomBytes(SALT_BYTES);
  const box = sealBox(await stretched(passphrase, salt), context(id), key);
  return { box: encode(box), kdf: { ...KDF, salt: encode(salt) } };
}

function opened(key: Uint8Array, id: string, box: string): Uint8Array | undefined {
  try {
    return openBox(key, context(id), decode(box));
  } catch {
    return undefined;
  }
}

const context = (id: string): string => `agentpair-vault-v1 ${id}`;
const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const decode = (text: string): Uint8Array => Buffer.from(text, "base64url");

function aboutOf({ about }: VaultRow, where: string): About {
  let found: Partial<About> | null = null;
  try {
    found = JSON.parse(about ?? "");
  } catch {}
  if (typeof found?.id !== "string" || typeof found.box !== "string") {
    const text = `the store in ${where} is damaged (it does not say how its keys are sealed): nothing was changed; restore a backup`;
    throw new AgentPairError("store_corrupt", "bug", text);
  }
  if (found.v !== 1) throw tooNew(where);
  return found as About;
}

function tooNew(where: string): AgentPairError {
  const text = `the keys in ${where} were sealed by a newer AgentPair: update this one to use them`;
  return new AgentPairError("store_too_new", "caller", text);
}

function locked(where: string): AgentPairError {
  const text = `the keys in ${where} are sealed with a passphrase: use a terminal, or put the passphrase into a file that only you can read and name that file in AGENTPAIR_PASSPHRASE_FILE`;
  return new AgentPairError("vault_locked", "policy", text);
}

function wrong(where: string): AgentPairError {
  const text = `this passphrase does not open the keys in ${where}: try another one`;
  return new AgentPairError("wrong_passphrase", "caller", text);
}
