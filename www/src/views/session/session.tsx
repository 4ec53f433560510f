import "./session.css";
import { live } from "../../live.ts";
import { Card } from "../../parts/card.tsx";
import { nameOf } from "../../parts/name.ts";
import { Trouble } from "../../parts/trouble.tsx";
import { addressOf } from "../../route.ts";
import { newsOf, useSeen } from "../../seen.ts";
import { moment, spoken, words } from "../../words/language.ts";
import { Waiting } from "../waiting/waiting.tsx";
import { Acts } from "./acts.tsx";
import { Mishaps } from "./mishaps.tsx";
import { More } from "./more.tsx";
import { Outcome } from "./outcome.tsx";
import { type Room, useRoom } from "./room.ts";
import { isOver, standing } from "./standing.ts";
import { standingRoom } from "./standing-words.ts";
import { Terms } from "./terms.tsx";
import { Turns } from "./turns.tsx";

const room = words(
  {
    title: (name: string) => `Negotiation with ${name}`,
    back: (name: string) => `Back to ${name}`,
    opening: "One moment…",
    missing: "There is no such negotiation on this page.",
    home: "To the beginning",
    standing: "Where it stands",
    left: (n: number, max: number) => `${n} of ${max} turns are left.`,
    until: (at: string) => `Ends by itself: ${at}`,
    queued: "Your last step waits here until the relay can be reached. It leaves by itself while this page is open.",
    relayed: (name: string) => `Your last step is at the relay. ${name}'s side has not taken it yet.`,
    terms: "What it is about",
    turns: "What was said",
    silent: "Nothing yet.",
  },
  {
    title: (name: string) => `Perundingan dengan ${name}`,
    back: (name: string) => `Kembali ke ${name}`,
    opening: "Sebentar…",
    missing: "Perundingan itu tidak ada di halaman ini.",
    home: "Ke awal",
    standing: "Keadaannya",
    left: (n: number, max: number) => `Tersisa ${n} dari ${max} giliran.`,
    until: (at: string) => `Berakhir otomatis: ${at}`,
    queued:
      "Langkah terakhir Anda menunggu di sini sampai relai terjangkau. Dikirim otomatis selama halaman ini terbuka.",
    relayed: (name: string) => `Langkah terakhir Anda ada di relai. Pihak ${name} belum mengambilnya.`,
    terms: "Tentang apa",
    turns: "Yang sudah disampaikan",
    silent: "Belum ada.",
  },
);

/** One negotiation: where it stands, what was said, and what can be done. */
export function SessionRoom({ bond, thread }: { bond: string; thread: string }) {
  const w = spoken(room);
  const { room: shown, error } = useRoom(bond, thread);
  if (shown === undefined) return error === undefined ? <p>{w.opening}</p> : <Trouble error={error} />;
  if (shown === "missing") {
    return (
      <>
        <h1>{w.missing}</h1>
        <a href={addressOf({ view: "home" })}>{w.home}</a>
      </>
    );
  }
  const name = nameOf(shown.bond);
  const isDone = isOver(shown.view);
  // The question shows the terms, and can be rejected.
  const isAsked = shown.view.status === "pending" && shown.view.openedBy === "peer";
  return (
    <div class="session">
      <p class="back">
        <a href={addressOf({ view: "bond", bond })}>{w.back(name)}</a>
      </p>
      <h1>{w.title(name)}</h1>
      <Trouble error={error} />
      <Where room={shown} />
      <Waiting bond={bond} thread={thread} />
      {isDone && <Outcome room={shown} />}
      {isDone && <Sight bond={bond} thread={thread} />}
      <Card title={w.turns}>
        {shown.turns.length === 0 ? <p>{w.silent}</p> : <Turns room={shown} />}
        {!isDone && <Sight bond={bond} thread={thread} />}
      </Card>
      {(shown.view.status === "live" || (shown.view.status === "pending" && shown.view.openedBy === "me")) && (
        <Acts room={shown} />
      )}
      <Card>
        <details open={shown.turns.length === 0 && !isAsked}>
          <summary>{w.terms}</summary>
          <Terms room={shown} />
        </details>
      </Card>
      {!isDone && !isAsked && <More room={shown} />}
    </div>
  );
}

/** Below what is new: whoever has it on the screen has seen it. */
function Sight({ bond, thread }: { bond: string; thread: string }) {
  const element = useSeen<HTMLDivElement>(newsOf(bond, thread));
  return <div ref={element} />;
}

function Where({ room: shown }: { room: Room }) {
  const { view, turns, bond } = shown;
  const w = spoken(room);
  const at = standing(view, turns);
  const onItsWay = live.value?.outbox.find((item) => item.bond === view.bond && item.thread === view.thread);
  return (
    <Card title={w.standing} kind={at === "ended" ? "stand stand-over" : "stand"}>
      <p class="where" role="status">
        {spoken(standingRoom)[at](nameOf(bond))}
      </p>
      {view.status === "live" && <p class="hint">{w.left(view.turnsRemaining, view.maxTurns)}</p>}
      {onItsWay && <p class="hint">{onItsWay.state === "queued" ? w.queued : w.relayed(nameOf(bond))}</p>}
      {!isOver(view) && <Mishaps room={shown} />}
      {view.expiresAt !== undefined && <p class="hint">{w.until(moment(view.expiresAt))}</p>}
    </Card>
  );
}
