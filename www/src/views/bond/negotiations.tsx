import type { BondView, SessionView } from "agentpair";
import { live } from "../../live.ts";
import { LinkButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { nameOf } from "../../parts/name.ts";
import { addressOf } from "../../route.ts";
import { spoken, words } from "../../words/language.ts";
import { SessionLink } from "../session/link.tsx";
import { isOver } from "../session/standing.ts";
import { canSend } from "./status.ts";

const room = words(
  {
    title: "Negotiations",
    none: "None yet. Propose what you want to agree on, and put a text forward.",
    propose: "Propose something",
    over: (n: number) => (n === 1 ? "1 that is over" : `${n} that are over`),
  },
  {
    title: "Perundingan",
    none: "Belum ada. Usulkan apa yang ingin disepakati, lalu ajukan teksnya.",
    propose: "Usulkan sesuatu",
    over: (n: number) => `${n} yang sudah selesai`,
  },
);

/** Negotiations on a bond, those that run first. */
export function Negotiations({ bond }: { bond: BondView }) {
  const w = spoken(room);
  const all = (live.value?.sessions ?? []).filter((view) => view.bond === bond.id);
  const newest = all.toSorted((a, b) => b.createdAt - a.createdAt);
  const running = newest.filter((view) => !isOver(view));
  const over = newest.filter(isOver);
  return (
    <Card title={w.title}>
      {all.length === 0 && <p>{w.none}</p>}
      <List views={running} name={nameOf(bond)} />
      {over.length > 0 && (
        <details open={running.length === 0}>
          <summary>{w.over(over.length)}</summary>
          <List views={over} name={nameOf(bond)} />
        </details>
      )}
      {canSend(bond) && (
        <div class="buttons">
          <LinkButton to={addressOf({ view: "propose", bond: bond.id })}>{w.propose}</LinkButton>
        </div>
      )}
    </Card>
  );
}

function List({ views, name }: { views: readonly SessionView[]; name: string }) {
  if (views.length === 0) return null;
  return (
    <ul class="link-list">
      {views.map((view) => (
        <li key={view.thread}>
          <SessionLink view={view} name={name} />
        </li>
      ))}
    </ul>
  );
}
