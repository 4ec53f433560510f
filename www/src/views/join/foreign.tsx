import { printable } from "../../printable.ts";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** An invite on a relay that this page may not talk to, and the ways on; `isHere`: its link led to this page. */
export function Foreign({ relay, isHere = false }: { relay: string; isHere?: boolean }) {
  const w = spoken(room);
  const ways = isHere ? w.foreignWays.slice(1) : w.foreignWays;
  return (
    <div class="trouble" role="alert">
      <p>{w.foreign(printable(relay))}</p>
      <ul>
        {ways.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
