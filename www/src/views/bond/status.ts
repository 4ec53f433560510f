import type { BondView } from "agentpair";
import { words } from "../../words/language.ts";

type Sentences = { readonly [status in BondView["status"]]: (name: string) => string };

const ENGLISH: Sentences = {
  pending: (name) => `Almost there: waiting for ${name}'s side to finish pairing.`,
  held: (name) => `Held until you and ${name} have compared the safety number. Nothing goes through before that.`,
  active: () => "Active.",
  unreachable: (name) =>
    `The relay does not let this side write to ${name} at the moment. It is tried again and again.`,
  revoked: () => "You revoked it. Nothing goes through any more.",
  revoked_by_peer: (name) => `${name} revoked it. Nothing goes through any more.`,
  failed: () => "The pairing was not finished in time. Begin again with a new invite.",
};

const INDONESIAN: Sentences = {
  pending: (name) => `Hampir selesai: menunggu pihak ${name} menyelesaikan penyandingan.`,
  held: (name) => `Ditahan sampai Anda dan ${name} membandingkan nomor keamanan. Sebelum itu tidak ada yang lewat.`,
  active: () => "Aktif.",
  unreachable: (name) => `Saat ini relai tidak mengizinkan pihak ini menulis kepada ${name}. Ini terus dicoba lagi.`,
  revoked: () => "Anda mengakhirinya. Tidak ada yang lewat lagi.",
  revoked_by_peer: (name) => `${name} mengakhirinya. Tidak ada yang lewat lagi.`,
  failed: () => "Penyandingan tidak selesai tepat waktu. Mulai lagi dengan undangan baru.",
};

/** Where a bond stands, in a sentence. */
export const statusRoom = words(ENGLISH, INDONESIAN);

/** A word or two for lists. */
export const shortStatus = words<{ readonly [status in BondView["status"]]: string }>(
  {
    pending: "almost there",
    held: "held until compared",
    active: "active",
    unreachable: "not reachable now",
    revoked: "revoked by you",
    revoked_by_peer: "revoked by them",
    failed: "not finished",
  },
  {
    pending: "hampir selesai",
    held: "ditahan sampai dibandingkan",
    active: "aktif",
    unreachable: "sedang tidak terjangkau",
    revoked: "diakhiri Anda",
    revoked_by_peer: "diakhiri pihak lain",
    failed: "tidak selesai",
  },
);

/** Whether a bond is over for good. */
export function isBondOver({ status }: BondView): boolean {
  return status === "revoked" || status === "revoked_by_peer" || status === "failed";
}

/** Whether something can be sent on it now. */
export function canSend({ status }: BondView): boolean {
  return status === "active" || status === "unreachable";
}
