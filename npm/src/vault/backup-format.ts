import { createHash, randomBytes } from "node:crypto";
import { closeSync, readSync, writeSync } from "node:fs";
import { AgentPairError } from "../errors.js";
import { openBox, sealBox } from "../wasm/agentpair.js";
import { isKdf, KDF, SALT_BYTES, stretched } from "./stretch.js";

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

const MAGIC = Buffer.from("AgentPairBackup\n", "latin1");
const LENGTH_BYTES = 4;
/** The longest header that is read, in bytes. */
const HEADER_LIMIT = 1_024;
/** The most that is put into one box, in bytes: neither side ever holds more. */
const CHUNK = 256 * 1024;
const BOX_LIMIT = CHUNK + 1_024;

/** Writes a backup into an open file. */
export class BackupWriter {
  readonly #file: number;
  readonly #boxes: Boxes;
  #waiting: Buffer[] = [];
  #size = 0;
  /** Bytes written so far. */
  written = 0;

  private constructor(file: number, boxes: Boxes) {
    this.#file = file;
    this.#boxes = boxes;
  }

  /** Begins: a fresh salt, the key, the header. */
  static async begin(file: number, passphrase: string): Promise<BackupWriter> {
    const salt = randomBytes(SALT_BYTES);
    const text = JSON.stringify({ v: 1, kdf: { ...KDF, salt: salt.toString("base64url") } });
    const head = Buffer.concat([MAGIC, length(text.length), Buffer.from(text)]);
    const writer = new BackupWriter(file, new Boxes(await stretched(passphrase, salt), head));
    writer.#write(head);
    return writer;
  }

  add(bytes: Buffer): void {
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
    const box = this.#boxes.seal(Buffer.concat(this.#waiting), isLast);
    this.#write(Buffer.concat([length(box.length), box]));
    this.#waiting = [];
    this.#size = 0;
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.written += bytes.length;
  }
}

/** Reads a backup from an open file: piece by piece, each verified before it is given out. */
export class BackupReader {
  readonly #file: number;
  readonly #path: string;
  readonly #boxes: Boxes;

  private constructor(file: number, path: string, boxes: Boxes) {
    this.#file = file;
    this.#path = path;
    this.#boxes = boxes;
  }

  /** @throws AgentPairError `no_backup`, `backup_too_new`. */
  static async begin(file: number, path: string, passphrase: string): Promise<BackupReader> {
    const front = read(file, MAGIC.length + LENGTH_BYTES);
    const size = front.length === MAGIC.length + LENGTH_BYTES ? front.readUInt32BE(MAGIC.length) : 0;
    if (!front.subarray(0, MAGIC.length).equals(MAGIC) || size > HEADER_LIMIT) throw noBackup(path);
    const text = read(file, size);
    let found: { v?: unknown; kdf?: { salt?: unknown } } = {};
    try {
      found = JSON.parse(text.toString());
    } catch {
      throw noBackup(path);
    }
    const salt = Buffer.from(String(found.kdf?.salt ?? ""), "base64url");
    if (found.v !== 1 || !isKdf(found.kdf) || salt.length !== SALT_BYTES) {
      const words = `${path} was made by a newer AgentPair: update this one to restore it`;
      throw new AgentPairError("backup_too_new", "caller", words);
    }
    return new BackupReader(file, path, new Boxes(await stretched(passphrase, salt), Buffer.concat([front, text])));
  }

  /** The content, in pieces. @throws AgentPairError `wrong_passphrase`, `backup_damaged`. */
  *pieces(): Generator<Buffer, void, void> {
    for (let isFirst = true; ; isFirst = false) {
      const front = read(this.#file, LENGTH_BYTES);
      if (front.length < LENGTH_BYTES) throw damaged(this.#path, "its end is missing");
      const size = front.readUInt32BE();
      if (size > BOX_LIMIT) throw damaged(this.#path, "a part of it was altered");
      const box = read(this.#file, size);
      if (box.length < size) throw damaged(this.#path, "its end is missing");
      const opened = this.#boxes.open(box);
      // A wrong passphrase and an altered first part look the same, on purpose.
      if (!opened) throw isFirst ? wrong(this.#path) : damaged(this.#path, "a part of it was altered");
      yield opened.bytes;
      if (!opened.isLast) continue;
      if (read(this.#file, 1).length > 0) throw damaged(this.#path, "something follows its end");
      return;
    }
  }

  end(): void {
    closeSync(this.#file);
  }
}

/** The boxes of one backup, in their order. */
class Boxes {
  readonly #key: Uint8Array;
  readonly #digest: string;
  #next = 0;

  constructor(key: Uint8Array, head: Buffer) {
    this.#key = key;
    this.#digest = createHash("sha256").update(head).digest("hex");
  }

  seal(bytes: Buffer, isLast: boolean): Buffer {
    return Buffer.from(sealBox(this.#key, this.#context(this.#next++, isLast), bytes));
  }

  open(box: Buffer): { bytes: Buffer; isLast: boolean } | undefined {
    const number = this.#next++;
    for (const isLast of [false, true]) {
      try {
        return { bytes: Buffer.from(openBox(this.#key, this.#context(number, isLast), box)), isLast };
      } catch {}
    }
    return undefined;
  }

  #context(number: number, isLast: boolean): string {
    return `agentpair-backup-v1 ${this.#digest} ${number} ${isLast ? "last" : "more"}`;
  }
}

/** The next bytes of a file; less only at its end. */
function read(file: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const count = readSync(file, bytes, at, size - at, null);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

function length(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeUInt32BE(value);
  return bytes;
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
