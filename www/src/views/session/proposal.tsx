import type { Deliverable, Described } from "agentpair";
import { useMemo } from "preact/hooks";
import { Folded } from "../../parts/folded.tsx";
import { Exact } from "../../parts/peer-text.tsx";
import { printable } from "../../printable.ts";
import { language, spoken, words } from "../../words/language.ts";
import { Changes } from "./changes.tsx";
import { jsonLines } from "./json-lines.ts";

const room = words(
  {
    kinds: {
      text: "a text",
      json: "data (JSON)",
      openapi: "a description of an interface (OpenAPI)",
      slot: "a date",
      sow: "a statement of work",
    },
    about: (kind: string, media: string, size: string) => `${kind}, ${media}, ${size}`,
    bytes: (n: string) => `${n} bytes`,
    missing: "This text is not here: it cannot be signed.",
    laidOut: "Laid out for reading",
    exact: "Exactly as it is signed",
    changes: "What changed since the text before",
  },
  {
    kinds: {
      text: "teks",
      json: "data (JSON)",
      openapi: "penjelasan antarmuka (OpenAPI)",
      slot: "waktu",
      sow: "uraian pekerjaan",
    },
    about: (kind: string, media: string, size: string) => `${kind}, ${media}, ${size}`,
    bytes: (n: string) => `${n} bita`,
    missing: "Teks ini tidak ada di sini: tidak dapat ditandatangani.",
    laidOut: "Ditata agar mudah dibaca",
    exact: "Persis seperti yang ditandatangani",
    changes: "Yang berubah sejak teks sebelumnya",
  },
);

interface ProposalProps {
  described: Described;
  /** The text itself; nothing if this host does not hold it. */
  whole: Deliverable | undefined;
  /** The text that was put forward before it. */
  before?: Deliverable | undefined;
  /** It is one of the last texts: what changed is shown without being asked for. */
  isLast?: boolean;
}

/** A text that may be signed: all of it, and what changed. */
export function Proposal({ described, whole, before, isLast = false }: ProposalProps) {
  const w = spoken(room);
  const lines = useMemo(() => whole && linesOf(whole), [whole]);
  const linesBefore = useMemo(() => before && linesOf(before), [before]);
  const size = w.bytes(described.bytes.toLocaleString(language.value));
  // Where both can be laid out, unless they differ in nothing else than how they are.
  const isLaidOut = linesBefore !== undefined && lines !== undefined && linesBefore !== lines;
  return (
    <div class="proposal">
      <p class="title">
        <b>{printable(described.name)}</b>
        <span class="hint">{w.about(w.kinds[described.kind], printable(described.media_type), size)}</span>
      </p>
      {whole ? <Whole text={whole.text} lines={lines} /> : <p class="error">{w.missing}</p>}
      {whole && before && (
        <Folded summary={w.changes} isOpen={isLast && before.text.length + whole.text.length < 20_000}>
          <div class={lines === undefined ? "" : "code"}>
            {isLaidOut ? (
              <Changes before={linesBefore} after={lines} />
            ) : (
              <Changes before={before.text} after={whole.text} />
            )}
          </div>
        </Folded>
      )}
    </div>
  );
}

function linesOf({ kind, text }: Deliverable): string | undefined {
  return kind === "json" || kind === "openapi" ? jsonLines(text) : undefined;
}

function Whole({ text, lines }: { text: string; lines: string | undefined }) {
  const w = spoken(room);
  if (lines === undefined || lines === text.trimEnd()) return <Exact text={text} />;
  return (
    <>
      <p class="hint">{w.laidOut}</p>
      <div class="code">
        <Exact text={lines} />
      </div>
      <details>
        <summary>{w.exact}</summary>
        <div class="code">
          <Exact text={text} />
        </div>
      </details>
    </>
  );
}
