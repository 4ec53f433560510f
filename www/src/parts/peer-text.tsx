import { useMemo } from "preact/hooks";
import { printable } from "../printable.ts";
import { language, spoken, words } from "../words/language.ts";

const room = words(
  {
    mark: (name: string) => `Written by ${name}, checked by nobody`,
    long: (n: string) => `${n} characters: scroll to read all of them`,
  },
  {
    mark: (name: string) => `Ditulis oleh ${name}, tidak diperiksa siapa pun`,
    long: (n: string) => `${n} karakter: gulir untuk membaca semuanya`,
  },
);

/** Texts with more characters than that scroll in a frame, and say so. */
const LONG = 4_000;

/** Characters of a block: of a text of megabytes, the browser lays out only the blocks that are on the screen. */
const BLOCK = 4_000;

/** What the other side wrote: text in a frame that it cannot leave, with every hidden character visible. */
export function PeerText({ by, text }: { by: string; text: string }) {
  const { mark } = spoken(room);
  return (
    <figure class="peer">
      <figcaption>{mark(printable(by))}</figcaption>
      <Exact text={text} />
    </figure>
  );
}

/** A text as it is, with every hidden character visible. */
export function Exact({ text }: { text: string }) {
  const { long } = spoken(room);
  const isLong = text.length > LONG;
  const blocks = useMemo(() => blocksOf(printable(text)), [text]);
  return (
    <>
      {isLong && <p class="hint">{long(text.length.toLocaleString(language.value))}</p>}
      <div class={isLong ? "exact long" : "exact"} {...(isLong && { tabIndex: 0, role: "group" })}>
        {blocks.length < 2
          ? blocks
          : blocks.map((block, i) => (
              <div key={i} class="exact-block">
                {block}
              </div>
            ))}
      </div>
    </>
  );
}

/** The text in pieces, which end with a line where they can. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + BLOCK);
    const end = at + BLOCK < text.length ? piece.lastIndexOf("\n") + 1 || whole(piece) : piece.length;
    blocks.push(piece.slice(0, end));
    at += end;
  }
  return blocks;
}

/** Length of a piece without the first half of a character. */
function whole(piece: string): number {
  return /[\ud800-\udbff]$/.test(piece) ? piece.length - 1 : piece.length;
}
