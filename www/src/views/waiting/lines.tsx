import type { PendingItem, Shown } from "agentpair";
import { Exact } from "../../parts/peer-text.tsx";
import { printable } from "../../printable.ts";
import { moment, spoken } from "../../words/language.ts";
import { namedIn } from "./subject.ts";
import { room } from "./words.ts";

/** Lines whose text is a digest or an address. */
const CODES = ["keys", "sha256", "agreement", "replaces agreement", "relay"];
/** Lines whose text is a moment. */
const MOMENTS = ["deadline", "valid until"];

/** All that an item is about, in the engine's order. What the peer wrote stands in frames of its own. */
export function Lines({ item, by }: { item: PendingItem; by: string }) {
  const w = spoken(room);
  return (
    <>
      {grouped(item.shown).map((group, n) =>
        group[0]?.from_peer ? (
          <figure class="peer" key={n}>
            <figcaption>{w.theirs(printable(by))}</figcaption>
            <List lines={group} item={item} />
          </figure>
        ) : (
          <List key={n} lines={group} item={item} />
        ),
      )}
    </>
  );
}

function List({ lines, item }: { lines: Shown[]; item: PendingItem }) {
  return (
    <dl class="shown-lines">
      {lines.map((line, n) => (
        <div key={n}>
          <Label line={line} />
          <dd>
            <Text line={line} item={item} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Label({ line }: { line: Shown }) {
  const w = spoken(room);
  const name = w.labels[line.label] ?? line.label;
  const at = MOMENTS.includes(line.label) ? Date.parse(line.text) : Number.NaN;
  return <dt>{Number.isNaN(at) ? name : `${name} (${w.yourTime(moment(at))})`}</dt>;
}

function Text({ line, item }: { line: Shown; item: PendingItem }) {
  const w = spoken(room);
  const { label, text, from_peer: isPeers } = line;
  if (isPeers) return <Exact text={text} />;
  if (label === "peer") {
    const { name = w.stranger, tail } = namedIn(item);
    return <>{printable(tail === undefined ? name : w.key(name, tail))}</>;
  }
  if (label === "lasts") return <>{w.lasts[text] ?? text}</>;
  if (CODES.includes(label)) return <code>{printable(text)}</code>;
  if (label === "safety number") return <strong class="shown-groups">{text}</strong>;
  return <Exact text={text} />;
}

/** Lines that the same side wrote one after the other. */
function grouped(lines: readonly Shown[]): Shown[][] {
  const groups: Shown[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.[0]?.from_peer === line.from_peer) last.push(line);
    else groups.push([line]);
  }
  return groups;
}
