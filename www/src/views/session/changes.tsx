import { useMemo } from "preact/hooks";
import { differences, type Folded, folded, type Row } from "../../diff.ts";
import { printable } from "../../printable.ts";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    gone: "Removed:",
    fresh: "Added:",
    skipped: (n: number) => (n === 1 ? "1 line as before" : `${n} lines as before`),
    empty: "(empty line)",
    none: "Nothing changed in the text.",
  },
  {
    gone: "Dihapus:",
    fresh: "Ditambah:",
    skipped: (n: number) => `${n} baris tidak berubah`,
    empty: "(baris kosong)",
    none: "Tidak ada yang berubah dalam teksnya.",
  },
);

/** What changed from one text to the next. */
export function Changes({ before, after }: { before: string; after: string }) {
  const w = spoken(room);
  const rows = useMemo(() => shownRows(before, after), [before, after]);
  if (before === after) return <p>{w.none}</p>;
  return (
    <div class="changes">
      {rows.map((row, i) => (
        <Line key={i} row={row} />
      ))}
    </div>
  );
}

function shownRows(before: string, after: string): Folded[] {
  const rows = folded(differences(before, after));
  const last = rows.at(-1);
  // A text that ends with a line feed has an empty line there.
  if (last?.op === "same" && textOf(last) === "") rows.pop();
  return rows;
}

function Line({ row }: { row: Folded }) {
  const w = spoken(room);
  if (row.op === "skip") return <p class="skipped">{w.skipped(row.count)}</p>;
  if (row.op === "same") return <p>{textOf(row) || "\u00a0"}</p>;
  const isGone = row.op === "gone";
  const Tag = isGone ? "del" : "ins";
  return (
    <p class={row.op}>
      <span class="side-mark" aria-hidden="true">
        {isGone ? "−" : "+"}
      </span>
      <span class="unseen">{isGone ? w.gone : w.fresh} </span>
      <Tag>{textOf(row) === "" ? <i>{w.empty}</i> : <Pieces row={row} />}</Tag>
    </p>
  );
}

function Pieces({ row }: { row: Row }) {
  const isWhole = row.pieces.every(({ isChanged }) => isChanged);
  return (
    <>
      {row.pieces.map(({ text, isChanged }, i) =>
        isChanged && !isWhole ? <mark key={i}>{printable(text)}</mark> : printable(text),
      )}
    </>
  );
}

function textOf({ pieces }: Row): string {
  return printable(pieces.map(({ text }) => text).join(""));
}
