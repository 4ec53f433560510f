import { feed } from "../../live.ts";
import { nameOf } from "../../parts/name.ts";
import { refusedInWords } from "../../words/errors.ts";
import { moment, spoken, words } from "../../words/language.ts";
import type { Room } from "./room.ts";

const room = words(
  {
    refused: (name: string, at: string, why: string) => `${at}: ${name}'s side did not take a step of yours. ${why}`,
    expired: (at: string) => `${at}: a step of yours was not delivered in time.`,
    theirs: (name: string, at: string, why: string) => `${at}: a step of ${name}'s was not taken here. ${why}`,
  },
  {
    refused: (name: string, at: string, why: string) => `${at}: pihak ${name} tidak menerima satu langkah Anda. ${why}`,
    expired: (at: string) => `${at}: satu langkah Anda tidak sampai tepat waktu.`,
    theirs: (name: string, at: string, why: string) => `${at}: satu langkah ${name} tidak diterima di sini. ${why}`,
  },
);

/** As many as are told. */
const SHOWN = 3;

/** Steps of either side that did not count: the last ones. */
export function Mishaps({ room: { view, bond } }: { room: Room }) {
  const w = spoken(room);
  const name = nameOf(bond);
  const entries = feed().ofThread(view.bond, view.thread);
  const lines = entries.flatMap(({ n, at, event }) => {
    if (event.event === "refused") return [{ n, text: w.theirs(name, moment(at), refusedInWords(event.code)) }];
    if (event.event !== "delivery") return [];
    if (event.state === "refused")
      return [{ n, text: w.refused(name, moment(at), event.code ? refusedInWords(event.code) : "") }];
    return event.state === "expired" ? [{ n, text: w.expired(moment(at)) }] : [];
  });
  if (lines.length === 0) return null;
  return (
    <ul class="mishaps">
      {lines.slice(-SHOWN).map(({ n, text }) => (
        <li key={n}>{text}</li>
      ))}
    </ul>
  );
}
