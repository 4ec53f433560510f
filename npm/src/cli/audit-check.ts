import { AgentPairError, asAgentPairError } from "../errors.js";
import { type Export, readExport } from "./audit-file.js";
import { readNamedFile } from "./files.js";
import { decode } from "./stdin.js";

/** What was found in exports that fit. */
export interface Finding {
  /** Records in the export. */
  records: number;
  /** Number and hash of the last one. */
  n: number;
  hash: string;
  /** Who signed the head, and when by its own clock, unix milliseconds. */
  agentId: string;
  signedAt: number;
  /** Records of the older export, all of them unaltered in the newer one. */
  olderRecords: number | undefined;
}

/**
 * Checks an export: numbers, links, hashes, and the signature of its head. With an older export, that the older one's
 * records are all in it as they were.
 *
 * @throws AgentPairError `invalid_audit`, `file_failed`.
 */
export async function checkExport(file: string, older: string | undefined): Promise<Finding> {
  const newer = await checked(file);
  const before = older === undefined ? undefined : await checked(older);
  if (before && older !== undefined) compare(newer, file, before, older);
  const { head, records } = newer;
  return {
    records: records.length,
    n: head.n,
    hash: head.hash,
    agentId: head.agentId,
    signedAt: head.at,
    olderRecords: before?.records.length,
  };
}

async function checked(file: string): Promise<Export> {
  const { verifyAudit } = await import("../node.js");
  const found = await readExport(decode(readNamedFile(file), file), file);
  try {
    verifyAudit(found.records, found.head);
  } catch (cause) {
    throw invalid(`${file}: ${asAgentPairError(cause).message}`, cause);
  }
  return found;
}

function compare(newer: Export, file: string, before: Export, older: string): void {
  if (newer.head.agentId !== before.head.agentId) throw invalid(`${file} and ${older} are of two different agents`);
  const hashes = new Map(newer.records.map(({ n, hash }) => [n, hash]));
  const missing = before.records.filter(({ n }) => !hashes.has(n));
  if (missing.length > 0) {
    const numbers =
      missing.length === 1 ? `record ${missing[0]?.n}` : `records ${missing[0]?.n} to ${missing.at(-1)?.n}`;
    throw invalid(`${numbers} of ${older} are missing in ${file}: it was cut, or the store was set back`);
  }
  const other = before.records.find(({ n, hash }) => hashes.get(n) !== hash);
  if (other) throw invalid(`record ${other.n} of ${older} is another one in ${file}: the log was written anew`);
}

function invalid(text: string, cause?: unknown): AgentPairError {
  return new AgentPairError("invalid_audit", "caller", text, { cause });
}
