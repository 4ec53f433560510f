import { AgentPairError } from "../errors.js";

/** The shortest passphrase that is taken, in characters. */
export const PASSPHRASE_CHARACTERS = 10;
/** The longest passphrase, in bytes. */
export const PASSPHRASE_BYTES = 4_096;

/**
 * A passphrase that was chosen just now.
 *
 * @throws AgentPairError `invalid_argument` if it is too short.
 */
export function newPassphrase(chosen: string): string {
  const passphrase = normal(chosen);
  const bytes = new TextEncoder().encode(passphrase).length;
  if ([...passphrase].length < PASSPHRASE_CHARACTERS || bytes > PASSPHRASE_BYTES) {
    const text = `a passphrase has at least ${PASSPHRASE_CHARACTERS} characters: choose a longer one, such as five words`;
    throw new AgentPairError("invalid_argument", "caller", text);
  }
  return passphrase;
}

/** The same passphrase, however a keyboard composes its letters. */
export function normal(passphrase: string): string {
  return passphrase.normalize("NFC");
}
