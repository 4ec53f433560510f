import { createHash, randomBytes } from "node:crypto";
import { Identity, type Role, Spake } from "agentpair";
import { lengthPrefixed } from "../../support/transcript.ts";

/** The text of an invite, as its maker signs it. */
export interface Invite {
  v: 1;
  name: string;
  agent_id: string;
  session_id: string;
  proposal: { scope: string[]; mode: string; initiatorAgentId: string };
  /** The initiator's first message. */
  pake: string;
  expires_at: number;
}

/** A message of the pairing slot. */
export interface SlotMessage {
  phase: string;
  payload?: string;
  agentId?: string;
  fingerprint?: string;
  profiles?: string[];
  tag?: string;
  proof?: string;
}

/** What another side than an honest one is. */
export interface Pretence {
  /** The id that it claims. */
  id?: string;
  profiles?: string[];
}

const PROFILES = ["bond/1", "core/1", "nego/1"];
const SIDES = { initiator: 0x41, joiner: 0x42 } as const;

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** A key that nobody else has. */
export function freshIdentity(): Identity {
  return Identity.fromSeed(randomBytes(32));
}

/** The invite in the answer to a claim. */
export function inviteIn(answer: string | Buffer): Invite {
  return JSON.parse(Buffer.from(JSON.parse(answer.toString()).blob, "base64url").toString());
}

/** The answer to a claim: an invite that somebody signed, whatever it says. */
export function signedInvite(signer: Identity, invite: Invite): string {
  const text = JSON.stringify(invite);
  const sig = signer.sign(Buffer.from(`agentpair-invite-v1\0${text}`));
  return JSON.stringify({ blob: base64url(text), sig: base64url(sig) });
}

/** One side of a pairing, played by hand: it knows a code, or guesses one, and says of itself what it likes. */
export class PairingHand {
  readonly id: string;
  readonly #role: Role;
  readonly #profiles: string[];
  readonly #spake: Spake;
  readonly #payload: string;
  #key = Buffer.alloc(0);
  #fingerprint = Buffer.alloc(0);

  constructor(role: Role, code: string, session: string, pretence: Pretence & { id: string }) {
    this.#role = role;
    this.id = pretence.id;
    this.#profiles = pretence.profiles ?? PROFILES;
    this.#spake = Spake.start(role, code, session, randomBytes(32));
    this.#payload = base64url(this.#spake.message);
  }

  /** An initiator's first message. */
  get first(): string {
    const { payload, profiles } = { payload: this.#payload, profiles: this.#profiles };
    return JSON.stringify({ phase: "pake", payload, role: this.#role, profiles });
  }

  /** A joiner's answer to the first message of an initiator. */
  answer(invite: Invite): string {
    const first: SlotMessage = JSON.parse(invite.pake);
    this.#meet(first.payload ?? "", [invite.agent_id, this.id], [first.profiles ?? [], this.#profiles]);
    const fingerprint = this.#fingerprint.toString("hex");
    const rest = { role: this.#role, fingerprint, agentId: this.id, profiles: this.#profiles };
    return JSON.stringify({ phase: "pake", payload: this.#payload, ...rest });
  }

  /** An initiator's answer to that. */
  confirm(answer: SlotMessage, prover: Identity | undefined): string {
    const { payload = "", agentId = "", profiles = [] } = answer;
    this.#meet(payload, [this.id, agentId], [this.#profiles, profiles]);
    const fingerprint = this.#fingerprint.toString("hex");
    return JSON.stringify({ phase: "confirm", fingerprint, agentId: this.id, ...this.#proof(prover) });
  }

  /** Whether a joiner's answer shows that both know the same code. */
  isEqual(answer: SlotMessage): boolean {
    return answer.fingerprint === this.#fingerprint.toString("hex");
  }

  /** The word by which either side agrees to the bond. */
  bondOk(prover: Identity | undefined, fingerprint: Buffer = this.#fingerprint): string {
    const tag = sha256("agentpair-pair-bondok-v1", lengthPrefixed(this.#key), lengthPrefixed(this.id)).toString("hex");
    return JSON.stringify({ phase: "bond_ok", agentId: this.id, tag, ...this.#proof(prover, fingerprint) });
  }

  #proof(prover: Identity | undefined, fingerprint: Buffer = this.#fingerprint): { proof?: string } {
    if (!prover) return {};
    const domain = Buffer.from("agentpair-pair-proof-v1\0");
    return { proof: base64url(prover.sign(Buffer.concat([domain, Buffer.from([SIDES[this.#role], 0]), fingerprint]))) };
  }

  #meet(payload: string, ids: [string, string], profiles: [string[], string[]]): void {
    this.#key = Buffer.from(this.#spake.finish(Buffer.from(payload, "base64url")));
    const lists = profiles.flatMap((list) => [
      Buffer.from([list.length >> 8, list.length]),
      ...list.map(lengthPrefixed),
    ]);
    const parts = [this.#key, ...ids].map(lengthPrefixed);
    this.#fingerprint = sha256("agentpair-pair-confirm-v2", ...parts, ...lists);
  }
}

function base64url(bytes: string | Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
