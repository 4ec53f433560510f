import { createHash, randomBytes, randomUUID } from "node:crypto";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { Identity, PairKey } from "agentpair";
import { bind } from "../../support/transcript.ts";
import type { Mallory } from "./mallory.ts";

/** An envelope that refers to bytes elsewhere, and those bytes. */
export interface Spilled {
  wire: string;
  /** Name of the artifact. */
  hash: string;
  /** The artifact as it lies at a relay. */
  sealed: Buffer;
}

/** Where an envelope belongs. */
export interface Place {
  type: string;
  thread: string;
  seq: number;
}

/** Writes envelopes of a bonded peer whose payload is too large for them, or said to be. */
export class Spiller {
  readonly #own: string;
  readonly #peer: string;
  readonly #key: PairKey;

  constructor({ bond, secret }: Mallory) {
    this.#own = bond.own;
    this.#peer = bond.peer;
    this.#key = PairKey.derive(Identity.fromSeed(Buffer.from(secret, "base64url")), bond.peer);
  }

  /** An envelope with a text as it is: nothing is added. */
  seal({ type, thread, seq }: Place, plaintext: string, id: string = randomUUID()): string {
    const now = Date.now();
    const ttl = Math.ceil(now / 1_000) + 3_600;
    return Buffer.from(this.#key.seal(id, type, thread, seq, ttl, Buffer.from(plaintext), now, seq - 1)).toString();
  }

  /** The text that belongs into such an envelope, with all that a bond adds. */
  whole({ type, thread, seq }: Place, payload: object, id: string): string {
    const bound = bind(this.#own, this.#peer, id, type, thread, seq);
    return JSON.stringify({ ...payload, mid: randomUUID(), expires_at: Date.now() + 3_600_000, bind: bound });
  }

  /** An honest reference, except for what `lie` says instead. */
  spill(place: Place, payload: object, lie: object = {}): Spilled {
    const id = randomUUID();
    const plaintext = Buffer.from(this.whole(place, payload, id));
    const [key, nonce] = [randomBytes(32), randomBytes(24)];
    const sealed = Buffer.concat([
      nonce,
      xchacha20poly1305(key, nonce, Buffer.from("agentpair-artifact-v1")).encrypt(plaintext),
    ]);
    const hash = createHash("sha256").update(sealed).digest("hex");
    const reference = {
      spill: 1,
      artifact_hash: hash,
      size: plaintext.length,
      content_type: "application/json",
      summary: "",
      artifact_key: key.toString("base64url"),
      ...lie,
    };
    return { wire: this.seal(place, JSON.stringify(reference), id), hash, sealed };
  }
}
