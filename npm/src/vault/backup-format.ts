import { decodeBase64url, encodeBase64url } from "../base64url.js";
import { compareBytes, joined } from "../bytes.js";
import { AgentPairError } from "../errors.js";
import { openBox, sealBox } from "../wasm/agentpair.js";
import { LENGTH_BYTES, lengthBytes, readLength, sha256 } from "./bytes.js";
import { isKdf, KDF, SALT_BYTES, type Stretch } from "./kdf.js";

// A backup is
//
//   16 bytes   "AgentPairBackup" and a line feed
//    4 bytes   length of the header, big endian
//   n bytes    the header, JSON: {"v":1,"kdf":{"name":"argon2id","memory_kib":65536,"passes":3,"lanes":1,"salt":…}}
//   then, again and again until the last:
//    4 bytes   length of a box, big endian
//   m bytes    the box: 24 bytes of nonce, ciphertext, 16 bytes of tag (XChaCha20-Poly1305)
//
// The key is Argon2id's over the passphrase (UTF-8, NFC) with the salt (base64url, 16 bytes). The additional data of box
// number i, from 0, are the ASCII text "agentpair-backup-v1 H i more", or "… last" for the last one, where H is the
// SHA-256, in lowercase hex, of everything before the first box. So no box can be altered, moved, left out or taken
// from another backup, and the end cannot be cut off. What the boxes hold, one after the other, are the lines that
// ./backup-lines.ts describes.

const MAGIC = new TextEncoder().encode("AgentPairBackup\n");
/** The longest header that is read, in bytes. */
const HEADER_LIMIT = 1_024;
/** The most that is put into one box, in bytes: neither side ever holds more. */
const CHUNK = 256 * 1024;
const BOX_LIMIT = CHUNK + 1_024;

/** Writes a backup, piece by piece. */
export class BackupWriter {
  readonly #write: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #boxes: Boxes;
  #waiting: Uint8Array[] = [];
  #size = 0;
  /** Bytes written so far. */
  written = 0;

  private constructor(write: (bytes: Uint8Array<ArrayBuffer>) => void, boxes: Boxes) {
    this.#write = (bytes) => {
      write(bytes);
      this.written += bytes.length;
    };
    this.#boxes = boxes;
  }

  /** Begins: a fresh salt, the key, the header. */
  static async begin(
    write: (bytes: Uint8Array<ArrayBuffer>) => void,
    passphrase: string,
    stretch: Stretch,
  ): Promise<BackupWriter> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    const text = new TextEncoder().encode(JSON.stringify({ v: 1, kdf: { ...KDF, salt: encodeBase64url(salt) } }));
    const head = joined([MAGIC, lengthBytes(text.length), text]);
    const writer = new BackupWriter(write, new Boxes(await stretch(passphrase, salt), await sha256(head)));
    writer.#write(head);
    return writer;
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#size === CHUNK) this.#flush(false);
      const piece = bytes.subarray(at, at + CHUNK - this.#size);
      this.#waiting.push(piece);
      this.#size += piece.length;
      at += piece.length;
    }
  }

  /** Writes the last box. */
  end(): void {
    this.#flush(true);
  }

  #flush(isLast: boolean): void {
    const box = this.#boxes.seal(joined(this.#waiting), isLast);
    this.#write(joined([lengthBytes(box.length), box]));
    this.#waiting = [];
    this.#size = 0;
  }
}

/** Where a backup is read from. */
export interface BackupSource {
  /** How it is called in errors. */
  path: string;
  /** The next bytes; less only at its end. */
  read(size: number): Uint8Array | Promise<Uint8Array>;
}

/** Reads a backup: piece by piece, each verified before it is given out. */
export class BackupReader {
  readonly #source: BackupSource;
  readonly #boxes: Boxes;

  private constructor(source: BackupSource, boxes: Boxes) {
    this.#source = source;
    this.#boxes = boxes;
  }

  /** @throws AgentPairError `no_backup`, `backup_too_new`. */
  static async begin(source: BackupSource, passphrase: string, stretch: Stretch): Promise<BackupReader> {
    const { path } = source;
    const front = await source.read(MAGIC.length + LENGTH_BYTES);
    const size = front.length === MAGIC.length + LENGTH_BYTES ? readLength(front, MAGIC.length) : 0;
    if (compareBytes(front.subarray(0, MAGIC.length), MAGIC) !== 0 || size > HEADER_LIMIT) throw noBackup(path);
    const text = await source.read(size);
    let found: { v?: unknown; kdf?: { salt?: unknown } } = {};
    try {
      found = JSON.parse(new TextDecoder().decode(text));
    } catch {
      throw noBackup(path);
    }
    const salt = saltOf(found);
    if (found.v !== 1 || !isKdf(found.kdf) || salt?.length !== SALT_BYTES) {
      const words = `${path} was made by a newer AgentPair: update this one to restore it`;
      throw new AgentPairError("backup_too_new", "caller", words);
    }
    const digest = await sha256(joined([front, text]));
    return new BackupReader(source, new Boxes(await stretch(passphrase, salt), digest));
  }

  /** The content, in pieces. @throws AgentPairError `wrong_passphrase`, `backup_damaged`. */
  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    const { path } = this.#source;
    for (let isFirst = true; ; isFirst = false) {
      const front = await this.#source.read(LENGTH_BYTES);
      if (front.length < LENGTH_BYTES) throw damaged(path, "its end is missing");
      const size = readLength(front);
      if (size > BOX_LIMIT) throw damaged(path, "a part of it was altered");
      const box = await this.#source.read(size);
      if (box.length < size) throw damaged(path, "its end is missing");
      const opened = this.#boxes.open(box);
      // A wrong passphrase and an altered first part look the same, on purpose.
      if (!opened) throw isFirst ? wrong(path) : damaged(path, "a part of it was altered");
      yield opened.bytes;
      if (!opened.isLast) continue;
      if ((await this.#source.read(1)).length > 0) throw damaged(path, "something follows its end");
      return;
    }
  }
}

/** The boxes of one backup, in their order. */
class Boxes {
  readonly #key: Uint8Array;
  readonly #digest: string;
  #next = 0;

  constructor(key: Uint8Array, digest: string) {
    this.#key = key;
    this.#digest = digest;
  }

  seal(bytes: Uint8Array, isLast: boolean): Uint8Array {
    return sealBox(this.#key, this.#context(this.#next++, isLast), bytes);
  }

  open(box: Uint8Array): { bytes: Uint8Array; isLast: boolean } | undefined {
    const number = this.#next++;
    for (const isLast of [false, true]) {
      try {
        return { bytes: openBox(this.#key, this.#context(number, isLast), box), isLast };
      } catch {}
    }
    return undefined;
  }

  #context(number: number, isLast: boolean): string {
    return `agentpair-backup-v1 ${this.#digest} ${number} ${isLast ? "last" : "more"}`;
  }
}

function saltOf({ kdf }: { kdf?: { salt?: unknown } }): Uint8Array | undefined {
  try {
    return decodeBase64url(String(kdf?.salt ?? ""));
  } catch {
    return undefined;
  }
}

function noBackup(path: string): AgentPairError {
  return new AgentPairError("no_backup", "caller", `${path} is no backup of AgentPair: name another file`);
}

/** Says that a backup cannot be restored, and why. */
export function damaged(path: string, why: string): AgentPairError {
  const text = `the backup ${path} is damaged (${why}): nothing was restored; use another copy of it`;
  return new AgentPairError("backup_damaged", "caller", text);
}

function wrong(path: string): AgentPairError {
  const text = `this passphrase does not open ${path}, or its beginning was altered: nothing was restored; try another one`;
  return new AgentPairError("wrong_passphrase", "caller", text);
}
