import type { SessionView } from "agentpair";
import { printable } from "../../printable.ts";
import { addressOf } from "../../route.ts";
import { news } from "../../seen.ts";
import { spoken, words } from "../../words/language.ts";
import "./link.css";
import { standing } from "./standing.ts";
import { standingRoom } from "./standing-words.ts";

const room = words({ fresh: "New" }, { fresh: "Baru" });

/** More characters of a goal than that are cut. */
const SHOWN = 160;

/** A negotiation in a list: its goal, and where it stands. */
export function SessionLink({ view, name }: { view: SessionView; name: string }) {
  const w = spoken(room);
  const { bond, thread, terms } = view;
  const isNew = news.value.some(({ event }) => "thread" in event && event.bond === bond && event.thread === thread);
  const goal = terms.goal.length > SHOWN ? `${[...terms.goal].slice(0, SHOWN).join("")}…` : terms.goal;
  return (
    <a class="session-link" href={addressOf({ view: "session", bond, thread })}>
      <b>{printable(goal)}</b>
      <span class="hint">
        {isNew && <span class="new-badge">{w.fresh}</span>} {spoken(standingRoom)[standing(view)](name)}
      </span>
    </a>
  );
}
