import "./bond.css";
import type { BondView } from "agentpair";
import { useEffect } from "preact/hooks";
import { feed, live, openHost } from "../../live.ts";
import { settleNotes } from "../../notes.ts";
import { Card } from "../../parts/card.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Folded } from "../../parts/folded.tsx";
import { nameOf } from "../../parts/name.ts";
import { PeerReason } from "../../parts/peer-reason.tsx";
import { PeerText } from "../../parts/peer-text.tsx";
import { printable } from "../../printable.ts";
import { addressOf } from "../../route.ts";
import { moment, spoken, wordFor, words } from "../../words/language.ts";
import { Safety, Verified } from "../safety/safety.tsx";
import { Waiting } from "../waiting/waiting.tsx";
import { Messages } from "./messages.tsx";
import { Negotiations } from "./negotiations.tsx";
import { Rename } from "./rename.tsx";
import { Revoke } from "./revoke.tsx";
import { canSend, isBondOver, statusRoom } from "./status.ts";

const room = words(
  {
    unknown: "There is no such bond on this page.",
    home: "To the beginning",
    status: "This bond",
    purpose: "What it is for",
    scopes: { message: "messages", negotiate: "negotiations" } as { readonly [scope: string]: string },
    once: "It ends with its first negotiation.",
    lasts: "It lasts until one of you revokes it.",
    selfName: "Calls itself",
    seen: "Last heard from",
    looked: "Their agent last looked",
    theirClock: (at: string) => `${at}, as it says itself`,
    number: "Safety number",
    unverified: "Not compared yet. Until then you cannot be sure that nobody stands between you.",
    again: "Look at it again",
    undelivered: (n: number) => (n === 1 ? "1 thing is on its way." : `${n} things are on their way.`),
  },
  {
    unknown: "Ikatan itu tidak ada di halaman ini.",
    home: "Ke awal",
    status: "Ikatan ini",
    purpose: "Untuk apa",
    scopes: { message: "pesan", negotiate: "perundingan" } as { readonly [scope: string]: string },
    once: "Berakhir bersama perundingan pertamanya.",
    lasts: "Berlaku sampai salah satu dari Anda mengakhirinya.",
    selfName: "Menyebut diri",
    seen: "Kabar terakhir",
    looked: "Agennya terakhir memeriksa",
    theirClock: (at: string) => `${at}, menurut keterangannya sendiri`,
    number: "Nomor keamanan",
    unverified: "Belum dibandingkan. Sampai saat itu, belum pasti bahwa tidak ada orang lain di antara Anda berdua.",
    again: "Lihat lagi",
    undelivered: (n: number) => `${n} kiriman sedang dalam perjalanan.`,
  },
);

/** One bond: who it is, whether that is certain, what was said and what is negotiated. */
export function BondRoom({ bond: id }: { bond: string }) {
  const w = spoken(room);
  useEffect(() => {
    void openHost()
      .then(settleNotes)
      .catch(() => {});
  }, []);
  const bond = live.value?.bonds.find((bond) => bond.id === id);
  if (!bond) {
    return (
      <>
        <h1>{w.unknown}</h1>
        <a href={addressOf({ view: "home" })}>{w.home}</a>
      </>
    );
  }
  return (
    <div class="bond">
      <Rename bond={bond} />
      <Waiting bond={id} />
      <About bond={bond} />
      {!isBondOver(bond) && <SafetyCard bond={bond} />}
      {bond.scope.includes("negotiate") && <Negotiations bond={bond} />}
      {bond.scope.includes("message") && <Messages bond={bond} />}
      {!isBondOver(bond) && <Revoke bond={bond} />}
    </div>
  );
}

function About({ bond }: { bond: BondView }) {
  const w = spoken(room);
  const { status, scope, mode, peerLabel, peerSeenAt, peerLookedAt, undelivered } = bond;
  const facts: [string, string][] = [
    [
      w.purpose,
      `${scope.map((word) => wordFor(w.scopes, word) ?? `“${printable(word)}”`).join(", ")}. ${mode === "bonded_contact" ? w.lasts : w.once}`,
    ],
    ...(peerSeenAt > 0 ? [[w.seen, moment(peerSeenAt)] as [string, string]] : []),
    ...(peerLookedAt ? [[w.looked, w.theirClock(moment(peerLookedAt))] as [string, string]] : []),
  ];
  const reason = reasonOf(bond);
  return (
    <Card title={w.status} kind={`status ${canSend(bond) ? "good" : ""}`}>
      <p>{spoken(statusRoom)[status](nameOf(bond))}</p>
      {reason !== undefined && <PeerReason by={bond.petname} reason={reason} />}
      {undelivered > 0 && <p class="hint">{w.undelivered(undelivered)}</p>}
      <Facts list={facts} />
      {peerLabel !== undefined && peerLabel !== bond.petname && (
        <>
          <p class="hint">{w.selfName}</p>
          <PeerText by={bond.petname} text={peerLabel} />
        </>
      )}
    </Card>
  );
}

/** What the other side said when it revoked. */
function reasonOf({ id, status }: BondView): string | undefined {
  return status === "revoked_by_peer" ? feed().changeOf(id)?.reason : undefined;
}

function SafetyCard({ bond }: { bond: BondView }) {
  const w = spoken(room);
  return (
    <Card title={w.number}>
      {bond.verification ? <Verified bond={bond} /> : <p>{w.unverified}</p>}
      {bond.verification ? (
        <Folded summary={w.again}>
          <Safety bond={bond} />
        </Folded>
      ) : (
        <Safety bond={bond} />
      )}
    </Card>
  );
}
