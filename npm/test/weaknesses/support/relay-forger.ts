import { randomUUID } from "node:crypto";
import { type BondView, type Host, Identity, PairKey } from "agentpair";
import { record } from "../../mcp/e2e/support/database.ts";
import { bind } from "../../support/transcript.ts";

/** What an envelope says of itself. */
export interface Claims {
  type: string;
  thread: string;
  seq: number;
  id?: string;
  ttl?: number;
  ts?: number;
  prev?: number;
}

/** Somebody who got hold of a bond's key, or of signatures by it: writes envelopes that no host writes. */
export class Forger {
  readonly #identity: Identity;
  readonly #own: string;
  readonly #peer: string;
  readonly #key: PairKey;

  /** Takes the key of a host's bond out of its store. */
  constructor(host: Host, { id, own, peer }: BondView) {
    const seed = record(host.dataDir, `secret/${id}`);
    if (seed === undefined) throw new Error("the bond's key is not where it was");
    this.#identity = Identity.fromSeed(Buffer.from(JSON.parse(seed), "base64url"));
    this.#own = own;
    this.#peer = peer;
    this.#key = PairKey.derive(this.#identity, peer);
  }

  /** An envelope around any payload, with a good signature. */
  wrap(claims: Claims, payload: string): string {
    const { type, thread, seq, id = randomUUID(), ttl = soon(), ts = Date.now(), prev = 0 } = claims;
    const [from, to] = [this.#own, this.#peer];
    const text = JSON.stringify({ v: 1, id, from, to, type, thread, seq, ttl, payload, ts, prev });
    const sig = this.sign(text);
    return JSON.stringify({ v: 1, from, to, blob: Buffer.from(text).toString("base64url"), sig });
  }

  /** An envelope with a text sealed anew under the bond's key, as it is. */
  seal(claims: Claims, plaintext: string): string {
    const { type, thread, seq, id = randomUUID(), ttl = soon(), ts = Date.now(), prev = 0 } = claims;
    return Buffer.from(this.#key.seal(id, type, thread, seq, ttl, Buffer.from(plaintext), ts, prev)).toString();
  }

  /** What binds a plaintext to its envelope, ENV-8. */
  bind({ type, thread, seq, id = "" }: Claims): string {
    return bind(this.#own, this.#peer, id, type, thread, seq);
  }

  /** base64url of a signature. */
  sign(text: string | Buffer): string {
    return Buffer.from(this.#identity.sign(Buffer.from(text))).toString("base64url");
  }
}

const soon = () => Math.ceil(Date.now() / 1_000) + 3_600;
