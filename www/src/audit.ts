import type { Host } from "agentpair";

/** The forms of an exported audit log. */
export type Format = "csv" | "jsonl";

/** Records that are read at once. */
const PAGE = 1_000;

/** The whole audit log in one of the forms, with a signed head at the end: as `agentpair audit` writes it. */
export async function auditText(host: Host, format: Format): Promise<string> {
  const { writer } = await import("../../npm/src/cli/audit-file.ts");
  // What is written while this runs is of the next export.
  const head = await host.auditHead();
  const { begin, records, end } = await writer(format);
  const parts = [begin()];
  for (let last = 0; last < head.n; ) {
    const page = await host.audit({ since: last, limit: Math.min(PAGE, head.n - last) });
    if (page.length === 0) throw new Error("the audit log ends before its head");
    parts.push(records(page));
    last = page.at(-1)?.n ?? head.n;
  }
  return [...parts, end(head)].join("");
}
