/** How a key is made of a passphrase: as it stands beside every salt. There is one way only. */
export const KDF = { name: "argon2id", memory_kib: 65_536, passes: 3, lanes: 1 } as const;

/** Length of a salt, in bytes. */
export const SALT_BYTES = 16;

/** Makes the key of a passphrase, 32 bytes, off the main thread. */
export type Stretch = (passphrase: string, salt: Uint8Array) => Promise<Uint8Array>;

/** Whether a file names the one way that there is: nobody makes this process compute anything else. */
export function isKdf(value: unknown): boolean {
  const found = value as Partial<Record<keyof typeof KDF, unknown>> | null;
  return (
    typeof found === "object" &&
    found !== null &&
    (Object.keys(KDF) as (keyof typeof KDF)[]).every((name) => found[name] === KDF[name])
  );
}
