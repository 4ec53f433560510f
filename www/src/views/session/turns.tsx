import type { TurnView } from "agentpair";
import { useLatest } from "../../parts/latest.tsx";
import { nameOf } from "../../parts/name.ts";
import { Exact } from "../../parts/peer-text.tsx";
import { printable } from "../../printable.ts";
import { moment, spoken, wordFor, words } from "../../words/language.ts";
import { Proposal } from "./proposal.tsx";
import type { Room } from "./room.ts";
import { acceptedBy } from "./standing.ts";

const room = words(
  {
    you: "You",
    acts: {
      propose: "put a text forward",
      counter: "put another text forward",
      accept: "accepted a text",
    } as { readonly [type: string]: string },
    other: "took a turn of another sort",
    sort: "Sort:",
    head: (n: number, who: string, act: string) => `${n}. ${who} ${act}`,
    peer: (name: string) => `Written by ${name}, checked by nobody`,
    signed: {
      both: (name: string) => `Signed by you and ${name}`,
      you: "Signed by you",
      they: (name: string) => `Signed by ${name}`,
    },
    accepted: (n: number, name: string) => `The text of turn ${n}: ${name}`,
    unknown: "This is no text of this negotiation.",
  },
  {
    you: "Anda",
    acts: {
      propose: "mengajukan teks",
      counter: "mengajukan teks lain",
      accept: "menerima sebuah teks",
    } as { readonly [type: string]: string },
    other: "mengambil giliran jenis lain",
    sort: "Jenis:",
    head: (n: number, who: string, act: string) => `${n}. ${who} ${act}`,
    peer: (name: string) => `Ditulis oleh ${name}, tidak diperiksa siapa pun`,
    signed: {
      both: (name: string) => `Ditandatangani Anda dan ${name}`,
      you: "Ditandatangani Anda",
      they: (name: string) => `Ditandatangani ${name}`,
    },
    accepted: (n: number, name: string) => `Teks giliran ${n}: ${name}`,
    unknown: "Ini bukan teks dari perundingan ini.",
  },
);

/** Turns that are shown at once. */
const MOST = 20;
/** Texts whose changes are shown without being asked for. */
const LAST = 2;

/** What was said, turn by turn. */
export function Turns({ room: shown }: { room: Room }) {
  const { turns } = shown;
  const { shown: latest, before } = useLatest(turns, MOST);
  return (
    <>
      {before}
      <ol class="turns">
        {latest.map((turn) => (
          <Turn key={turn.n} turn={turn} room={shown} earlier={turns.filter(({ n }) => n < turn.n)} />
        ))}
      </ol>
    </>
  );
}

function Turn({ turn, room: shown, earlier }: { turn: TurnView; room: Room; earlier: readonly TurnView[] }) {
  const w = spoken(room);
  const name = nameOf(shown.bond);
  const isOwn = turn.by === "me";
  const act = wordFor(w.acts, turn.msgType);
  const { note, sha256 } = acceptedBy(turn);
  const before = earlier.findLast(({ deliverable }) => deliverable)?.deliverable;
  return (
    <li class={isOwn ? "turn own" : "turn theirs"}>
      <h3>
        {w.head(turn.n, isOwn ? w.you : name, act ?? w.other)} <time dateTime={iso(turn.at)}>{moment(turn.at)}</time>
      </h3>
      <figure class={isOwn ? "said-by-me" : "peer"}>
        {!isOwn && <figcaption>{w.peer(name)}</figcaption>}
        {act === undefined && <Exact text={`${w.sort} ${turn.msgType}`} />}
        {note !== "" && <Exact text={note} />}
        {sha256 !== undefined && <Accepted sha256={sha256} earlier={earlier} />}
        {turn.deliverable && (
          <Proposal
            described={turn.deliverable}
            whole={shown.texts.get(turn.deliverable.sha256)}
            before={before && shown.texts.get(before.sha256)}
            isLast={shown.turns.filter(({ n, deliverable }) => n > turn.n && deliverable).length < LAST}
          />
        )}
      </figure>
      <Signatures sha256={turn.deliverable?.sha256} room={shown} />
    </li>
  );
}

function Accepted({ sha256, earlier }: { sha256: string; earlier: readonly TurnView[] }) {
  const w = spoken(room);
  const turn = earlier.findLast(({ deliverable }) => deliverable?.sha256 === sha256);
  return <p class="hint">{turn?.deliverable ? w.accepted(turn.n, printable(turn.deliverable.name)) : w.unknown}</p>;
}

function Signatures({ sha256, room: { view, bond } }: { sha256: string | undefined; room: Room }) {
  const w = spoken(room);
  if (sha256 === undefined) return null;
  const isFixed = view.deliverable?.sha256 === sha256;
  const [isMine, isTheirs] = [isFixed || view.signedByMe === sha256, isFixed || view.signedByPeer === sha256];
  if (!isMine && !isTheirs) return null;
  const name = nameOf(bond);
  return <p class="signed">{isMine && isTheirs ? w.signed.both(name) : isMine ? w.signed.you : w.signed.they(name)}</p>;
}

/** A moment, for machines. */
function iso(at: number): string {
  return new Date(at).toISOString();
}
