import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Identity, PairKey } from "agentpair";
import { bind } from "../../../support/transcript.ts";

/** Sequence numbers that no host has come to. */
const FIRST_SEQ = 100_000;

/** A bond, as far as writing on it goes. */
export interface Line {
  own: string;
  peer: string;
  relay: string;
}

/** Whoever has a bond's key can write envelopes that no host would. */
export class Pen {
  readonly #line: Line;
  readonly #identity: Identity;
  readonly #key: PairKey;
  readonly #seqs = new Map<string, number>();

  /** `record` is the bond's secret as a store holds it: base64url of 32 bytes, as a JSON string. */
  constructor(line: Line, record: string | undefined) {
    assert.ok(record, "the bond's key is not where it was");
    this.#line = line;
    this.#identity = Identity.fromSeed(Buffer.from(JSON.parse(record), "base64url"));
    assert.equal(this.#identity.agentId, line.own);
    this.#key = PairKey.derive(this.#identity, line.peer);
  }

  /** base64url of a signature. */
  sign(bytes: Uint8Array): string {
    return Buffer.from(this.#identity.sign(bytes)).toString("base64url");
  }

  /** Writes an envelope, and sees it into the peer's inbox. `payload` is an object, or the text of one. */
  async write(type: string, thread: string, payload: object | string): Promise<void> {
    assert.equal(await this.attempt(type, thread, payload), 204, `the relay refuses ${type}`);
  }

  /** Writes an envelope that the relay may refuse. Resolves with the relay's status. */
  async attempt(type: string, thread: string, payload: object | string, id: string = randomUUID()): Promise<number> {
    const { own, peer, relay } = this.#line;
    const last = this.#seqs.get(thread) ?? FIRST_SEQ;
    const seq = last + 1;
    this.#seqs.set(thread, seq);
    const now = Date.now();
    const expires = now + 3_600_000;
    const extras = { mid: randomUUID(), expires_at: expires, bind: bind(own, peer, id, type, thread, seq) };
    const json = typeof payload === "string" ? payload : JSON.stringify(payload);
    const text = `${json.slice(0, -1)}${json === "{}" ? "" : ","}${JSON.stringify(extras).slice(1)}`;
    const ttl = Math.ceil(expires / 1_000);
    const wire = this.#key.seal(id, type, thread, seq, ttl, new TextEncoder().encode(text), now, last);
    const answer = await fetch(`${relay}/inbox/${peer}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.from(wire),
    });
    await answer.arrayBuffer();
    return answer.status;
  }
}
