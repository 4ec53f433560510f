import "./home.css";
import type { BondView } from "agentpair";
import { live } from "../../live.ts";
import { LinkButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { nameOf } from "../../parts/name.ts";
import { addressOf } from "../../route.ts";
import { news } from "../../seen.ts";
import { spoken, words } from "../../words/language.ts";
import { isBondOver, shortStatus } from "../bond/status.ts";
import { SessionLink } from "../session/link.tsx";
import { isOver } from "../session/standing.ts";
import { Waiting } from "../waiting/waiting.tsx";
import { Pairings } from "./pairings.tsx";

const room = words(
  {
    title: "Your page",
    invite: "Invite somebody",
    join: "I have a code",
    bonds: "People",
    none: "Nobody yet. Invite somebody, or use a code that somebody gave you.",
    messages: (n: number) => (n === 1 ? "1 new message" : `${n} new messages`),
    unverified: "number not compared",
    negotiations: "Negotiations that run",
    over: (n: number) => (n === 1 ? "1 bond that is over" : `${n} bonds that are over`),
  },
  {
    title: "Halaman Anda",
    invite: "Undang seseorang",
    join: "Saya punya kode",
    bonds: "Orang",
    none: "Belum ada. Undang seseorang, atau pakai kode yang Anda terima.",
    messages: (n: number) => `${n} pesan baru`,
    unverified: "nomor belum dibandingkan",
    negotiations: "Perundingan yang berjalan",
    over: (n: number) => `${n} ikatan yang sudah berakhir`,
  },
);

/** For those who have somebody here, or are about to: what waits, who there is, and what runs. */
export function Home() {
  const w = spoken(room);
  const { bonds = [], sessions = [] } = live.value ?? {};
  const newest = bonds.toSorted((a, b) => b.createdAt - a.createdAt);
  const current = newest.filter((bond) => !isBondOver(bond));
  const over = newest.filter(isBondOver);
  const names = new Map(bonds.map((bond) => [bond.id, nameOf(bond)]));
  const running = sessions.filter((view) => !isOver(view)).toSorted((a, b) => b.createdAt - a.createdAt);
  return (
    <div class="home">
      <h1>{w.title}</h1>
      <Waiting />
      <Pairings />
      <Card title={w.bonds}>
        {current.length === 0 ? <p>{w.none}</p> : <Bonds bonds={current} />}
        <div class="buttons">
          <LinkButton to={addressOf({ view: "invite" })} kind={current.length === 0 ? "primary" : "plain"}>
            {w.invite}
          </LinkButton>
          <LinkButton to={addressOf({ view: "join" })}>{w.join}</LinkButton>
        </div>
        {over.length > 0 && (
          <details>
            <summary>{w.over(over.length)}</summary>
            <Bonds bonds={over} />
          </details>
        )}
      </Card>
      {running.length > 0 && (
        <Card title={w.negotiations}>
          <ul class="link-list">
            {running.map((view) => (
              <li key={`${view.bond}/${view.thread}`}>
                <p class="with">{names.get(view.bond)}</p>
                <SessionLink view={view} name={names.get(view.bond) ?? ""} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

function Bonds({ bonds }: { bonds: readonly BondView[] }) {
  return (
    <ul class="link-list">
      {bonds.map((bond) => (
        <li key={bond.id}>
          <BondLink bond={bond} />
        </li>
      ))}
    </ul>
  );
}

function BondLink({ bond }: { bond: BondView }) {
  const w = spoken(room);
  const unread = news.value.filter(({ event }) => event.event === "message" && event.bond === bond.id).length;
  const isDoubtful = !bond.verification && !isBondOver(bond) && bond.status !== "held";
  return (
    <a class="bond-link" href={addressOf({ view: "bond", bond: bond.id })}>
      <b>{nameOf(bond)}</b>
      <span class="hint">
        {spoken(shortStatus)[bond.status]}
        {isDoubtful && ` · ${w.unverified}`}
      </span>
      {unread > 0 && <span class="new-badge">{w.messages(unread)}</span>}
    </a>
  );
}
