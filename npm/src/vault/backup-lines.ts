import { joined } from "../bytes.js";
import type { LiveRecord, LogName, StoredEntry } from "../store/store.js";
import { damaged } from "./backup-format.js";
import { KeyOrder } from "./backup-order.js";

// What a backup holds: lines of JSON, each ended by a line feed. In this order:
//
//   {"agentpair":"backup","v":1,"created_at":"2026-…Z","protection":"file"}   when, and how the keys were protected
//   {"key":"bond/…","value":"…"}                                              each live record, as the store has it
//   {"log":"audit","n":1,"value":"…"}                                         each entry of both logs, from 1 on
//   {"end":{"records":17,"feed":5,"audit":40}}                                how many there were
//
// Values are JSON texts, and stand as strings: they are hashed and signed as they are.

/** The first line. */
export interface BackupHead {
  agentpair: "backup";
  v: 1;
  /** ISO 8601. */
  created_at: string;
  protection: string;
}

/** How much a backup holds. */
export interface BackupCounts {
  records: number;
  feed: number;
  audit: number;
}

/** A line of a backup. */
export type BackupLine = BackupHead | LiveRecord | StoredEntry | { end: BackupCounts };

/** The longest line that is read, in bytes; the longest value of a store is far below. */
const LINE_LIMIT = 256 * 1024 * 1024;

/** A line as bytes. */
function lineOf(line: BackupLine): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`);
}

/** After that many bytes others get their turn. */
const BREATH = 1024 * 1024;

/** Writes all lines of a backup. `breathe` lets others have their turn. */
export async function writeLines(
  writer: { add(bytes: Uint8Array): void; end(): void },
  head: BackupHead,
  records: Iterable<LiveRecord>,
  entries: Iterable<StoredEntry>,
  breathe: () => Promise<unknown>,
): Promise<BackupCounts> {
  const counts: BackupCounts = { records: 0, feed: 0, audit: 0 };
  let breath = 0;
  const add = async (line: BackupLine) => {
    const bytes = lineOf(line);
    writer.add(bytes);
    breath += bytes.length;
    if (breath < BREATH) return;
    breath = 0;
    await breathe();
  };
  await add(head);
  for (const record of records) {
    counts.records += 1;
    await add(record);
  }
  for (const entry of entries) {
    counts[entry.log] += 1;
    await add(entry);
  }
  await add({ end: counts });
  writer.end();
  return counts;
}

/** What a whole and consistent backup holds, in order. */
export type BackupPart =
  | { part: "head"; head: BackupHead }
  | { part: "record"; record: LiveRecord }
  | { part: "entry"; entry: StoredEntry }
  | { part: "end"; counts: BackupCounts };

/**
 * Reads the lines of a backup, and checks that nothing is missing or out of place. The last part is the end.
 *
 * @param path of the backup, for errors.
 * @throws AgentPairError `backup_damaged`, and what `pieces` throw.
 */
export async function* partsOf(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<BackupPart, void, void> {
  const counts: BackupCounts = { records: 0, feed: 0, audit: 0 };
  let last: BackupPart["part"] | undefined;
  const order = new KeyOrder();
  for await (const line of linesOf(pieces, path)) {
    const part = partOf(line);
    if (!part || last === "end" || (part.part === "head") !== (last === undefined)) throw damaged(path, "odd content");
    last = part.part;
    if (part.part === "record") {
      if (!order.takes(part.record.key)) throw damaged(path, "records out of order");
      counts.records += 1;
    } else if (part.part === "entry") {
      counts[part.entry.log] += 1;
      if (part.entry.n !== counts[part.entry.log]) throw damaged(path, "a log has a gap");
    } else if (part.part === "end" && !isEqual(part.counts, counts)) {
      throw damaged(path, "something is missing");
    }
    yield part;
  }
  if (last !== "end") throw damaged(path, "its end is missing");
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let begun: Uint8Array[] = [];
  let size = 0;
  for await (let piece of pieces) {
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10)) {
      yield decoder.decode(joined([...begun, piece.subarray(0, end)]));
      begun = [];
      size = 0;
      piece = piece.subarray(end + 1);
    }
    begun.push(piece);
    size += piece.length;
    if (size > LINE_LIMIT) throw damaged(path, "a line is too long");
  }
  if (size > 0) throw damaged(path, "its last line is cut");
}

function partOf(line: string): BackupPart | undefined {
  let found: Partial<BackupHead & LiveRecord & StoredEntry & { end: BackupCounts }>;
  try {
    found = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { agentpair, v, created_at, protection, key, value, log, n, end } = found;
  if (agentpair === "backup") {
    const isHead = v === 1 && typeof created_at === "string" && typeof protection === "string";
    return isHead ? { part: "head", head: { agentpair, v, created_at, protection } } : undefined;
  }
  if (typeof end === "object") return { part: "end", counts: end };
  if (typeof value !== "string" || !isJson(value)) return undefined;
  if (typeof key === "string" && /^[a-z_]+\//.test(key)) return { part: "record", record: { key, value } };
  const isEntry = (log === "feed" || log === "audit") && typeof n === "number";
  return isEntry ? { part: "entry", entry: { log: log as LogName, n, value } } : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isEqual(one: BackupCounts, other: BackupCounts): boolean {
  return one.records === other.records && one.feed === other.feed && one.audit === other.audit;
}
