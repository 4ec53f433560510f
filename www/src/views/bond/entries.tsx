import type { BondView } from "agentpair";
import type { Delivery, Entry } from "../../conversation.ts";
import { useLatest } from "../../parts/latest.tsx";
import { nameOf } from "../../parts/name.ts";
import { PeerReason } from "../../parts/peer-reason.tsx";
import { Exact, PeerText } from "../../parts/peer-text.tsx";
import { printable } from "../../printable.ts";
import { useSeen } from "../../seen.ts";
import { moment, spoken, words } from "../../words/language.ts";

const room = words(
  {
    you: "You",
    states: {
      queued: "waiting to leave",
      relayed: "at the relay",
      delivered: "delivered",
      expired: "not delivered in time",
      refused: "refused by the other side",
    } as { readonly [state in Delivery]: string },
    unknown: "Something that you sent. Its text is not kept in this browser.",
    sort: (kind: string) => `sort: ${kind}`,
    gap: "Something before this is missing.",
    theyClosed: (name: string) => `${name} closed this conversation.`,
    youClosed: "You closed this conversation.",
  },
  {
    you: "Anda",
    states: {
      queued: "menunggu dikirim",
      relayed: "di relai",
      delivered: "sampai",
      expired: "tidak sampai tepat waktu",
      refused: "ditolak pihak lain",
    } as { readonly [state in Delivery]: string },
    unknown: "Sesuatu yang Anda kirim. Teksnya tidak disimpan di peramban ini.",
    sort: (kind: string) => `jenis: ${kind}`,
    gap: "Ada yang hilang sebelum ini.",
    theyClosed: (name: string) => `${name} menutup percakapan ini.`,
    youClosed: "Anda menutup percakapan ini.",
  },
);

/** What is shown at once. */
const MOST = 50;

/** A conversation. */
export function Entries({ bond, entries }: { bond: BondView; entries: readonly Entry[] }) {
  const { shown, before } = useLatest(entries, MOST);
  return (
    <>
      {before}
      <ol class="entries">
        {shown.map((entry) =>
          entry.by === "peer" ? (
            <Theirs key={entry.n} bond={bond} entry={entry} />
          ) : (
            <Own key={entry.what === "message" ? entry.mid : "closed"} entry={entry} />
          ),
        )}
      </ol>
    </>
  );
}

function Theirs({ bond, entry }: { bond: BondView; entry: Entry & { by: "peer" } }) {
  const w = spoken(room);
  const element = useSeen<HTMLLIElement>([entry.n]);
  return (
    <li class="theirs" ref={element}>
      {entry.what === "message" && entry.gap && <p class="hint">{w.gap}</p>}
      {entry.what === "message" && <PeerText by={bond.petname} text={entry.body} />}
      {entry.what === "closed" && <p>{w.theyClosed(nameOf(bond))}</p>}
      {entry.what === "closed" && entry.reason !== undefined && <PeerReason by={bond.petname} reason={entry.reason} />}
      <p class="hint">
        {moment(entry.at)}
        {entry.what === "message" && entry.kind !== undefined && ` · ${w.sort(printable(entry.kind.slice(0, 64)))}`}
      </p>
    </li>
  );
}

function Own({ entry }: { entry: Entry & { by: "me" } }) {
  const w = spoken(room);
  if (entry.what === "closed") {
    return (
      <li class="mine">
        <p>{w.youClosed}</p>
        <p class="hint">{moment(entry.at)}</p>
      </li>
    );
  }
  const isBad = entry.state === "expired" || entry.state === "refused";
  return (
    <li class="mine">
      <figure class="said-by-me">
        <figcaption>{w.you}</figcaption>
        {entry.body === undefined ? <p class="hint">{w.unknown}</p> : <Exact text={entry.body} />}
      </figure>
      <p class={isBad ? "error" : "hint"}>
        {moment(entry.at)} · {w.states[entry.state]}
      </p>
    </li>
  );
}
