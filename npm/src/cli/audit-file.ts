import { AgentPairError } from "../errors.js";
import type { AuditRecord, SignedHead } from "../wasm/agentpair.js";
import { jsonLine } from "./json.js";
import { iso } from "./times.js";

// An export of the audit log. JSON Lines: one record a line as it is hashed, and at the end `{"head": …}`. CSV: the
// same in columns, and at the end a row with `sig`, which no record has.

/** The forms of an export. */
export type Format = "csv" | "jsonl";

/** What an export holds. */
export interface Export {
  records: AuditRecord[];
  head: SignedHead;
}

const COLUMNS = ["n", "at", "act", "bond", "facts", "prev", "hash", "agent_id", "sig"] as const;

/** Writes the parts of an export in one of the forms, each part with its line ends. */
export async function writer(format: Format): Promise<{
  begin: () => string;
  records: (records: readonly AuditRecord[]) => string;
  end: (head: SignedHead) => string;
}> {
  if (format === "jsonl") {
    return {
      begin: () => "",
      records: (records) => records.map((record) => `${jsonLine(record)}\n`).join(""),
      end: (head) => `${jsonLine({ head })}\n`,
    };
  }
  const { stringify } = await import("csv-stringify/sync");
  // A cell that a spreadsheet would take for a formula begins with an apostrophe.
  const rows = (rows: readonly (readonly string[])[]) =>
    stringify(
      rows.map((row) => [...row]),
      { record_delimiter: "\r\n", escape_formulas: true, quoted_match: /[\r\n]/ },
    );
  return {
    begin: () => rows([COLUMNS]),
    records: (records) => rows(records.map(rowOf)),
    end: ({ n, at, hash, agentId, sig }) => rows([[String(n), iso(at), "", "", "", "", hash, agentId, sig]]),
  };
}

function rowOf({ n, at, act, bond, facts, prev, hash }: AuditRecord): string[] {
  return [String(n), iso(at), act, bond ?? "", facts ? jsonLine(facts) : "", prev, hash, "", ""];
}

/**
 * Reads an export in either form.
 *
 * @throws AgentPairError `invalid_audit` if it is none, or was cut.
 */
export async function readExport(text: string, file: string): Promise<Export> {
  let found: { records: AuditRecord[]; head: SignedHead | undefined };
  try {
    found = text.startsWith("{") ? fromLines(text) : await fromCsv(text);
  } catch (cause) {
    const words = `${file} is no export of an audit log: ${(cause as Error).message}`;
    throw new AgentPairError("invalid_audit", "caller", words, { cause });
  }
  const { records, head } = found;
  if (head) return { records, head };
  throw new AgentPairError("invalid_audit", "caller", `${file} does not end with a signed head: it was cut`);
}

function fromLines(text: string) {
  const values = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord | { head: SignedHead });
  const last = values.at(-1);
  const head = last && "head" in last ? last.head : undefined;
  return { records: (head ? values.slice(0, -1) : values) as AuditRecord[], head };
}

async function fromCsv(text: string) {
  const { parse } = await import("csv-parse/sync");
  const rows = parse(text, { bom: true, record_delimiter: ["\r\n", "\n"] }) as string[][];
  if (rows[0]?.join() !== COLUMNS.join()) throw new Error("its columns are others");
  const cells = rows
    .slice(1)
    .map((row) => row.map((cell) => cell.replace(/^'(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/, "")));
  const last = cells.at(-1);
  const head = last?.at(-1) ? headOf(last) : undefined;
  return { records: (head ? cells.slice(0, -1) : cells).map(recordOf), head };
}

function recordOf([n = "", at = "", act = "", bond = "", facts = "", prev = "", hash = ""]: string[]): AuditRecord {
  return {
    n: Number(n),
    at: Date.parse(at),
    act,
    ...(bond !== "" && { bond }),
    ...(facts !== "" && { facts: JSON.parse(facts) as [string, string][] }),
    prev,
    hash,
  };
}

function headOf([n = "", at = "", , , , , hash = "", agentId = "", sig = ""]: string[]): SignedHead {
  return { n: Number(n), at: Date.parse(at), hash, agentId, sig };
}
