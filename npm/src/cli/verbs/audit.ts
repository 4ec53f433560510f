import { Option } from "commander";
import { AgentPairError } from "../../errors.js";
import { checkExport } from "../audit-check.js";
import { type Format, writer } from "../audit-file.js";
import type { Call } from "../call.js";
import { openNewFile } from "../files.js";
import { iso } from "../times.js";
import { act, type Verb } from "../verb.js";
import { writeText } from "../write.js";

interface Options {
  format?: Format;
  out?: string;
  verify?: string;
  since?: string;
}

/** Records that are read at once. */
const PAGE = 1_000;

export default {
  summary: "export the audit log, or check an export",
  register(command) {
    command
      .addOption(new Option("--format <form>", "csv, or jsonl: JSON Lines (csv)").choices(["csv", "jsonl"]))
      .option("--out <file>", "write it to a new file")
      .option("--verify <file>", "check an export, without keys and without the data directory")
      .option("--since <older>", "with --verify: that everything in an older export is still there, unaltered")
      .addHelpText(
        "after",
        "\nAn export ends with a head that your root identity signed. Two exports show what was altered or removed\n" +
          "between them by anyone who does not have your keys; nothing more.",
      );
    act(command, audit);
  },
} satisfies Verb;

async function audit(call: Call, options: Options): Promise<void> {
  const { verify, since, out } = options;
  if (verify !== undefined) return check(call, verify, since);
  if (since !== undefined) throw new AgentPairError("invalid_argument", "caller", "--since goes with --verify");
  const format = options.format ?? (call.json ? "jsonl" : "csv");
  const host = await call.host({ network: false });
  // What is written while this runs is of the next export.
  const head = await host.auditHead();
  const { begin, records, end } = await writer(format);
  const file = out === undefined ? undefined : openNewFile(out);
  const write = async (text: string) => {
    if (file) file.write(text);
    else await writeText(process.stdout, text);
    call.signal.throwIfAborted();
  };
  try {
    await write(begin());
    for (let last = 0; last < head.n; ) {
      const page = await host.audit({ since: last, limit: Math.min(PAGE, head.n - last) });
      if (page.length === 0) throw new AgentPairError("invariant_broken", "bug", "the audit log ends before its head");
      await write(records(page));
      last = page.at(-1)?.n ?? head.n;
    }
    await write(end(head));
    file?.keep();
  } finally {
    file?.close();
  }
  if (out !== undefined) call.say(`${head.n} records, up to ${head.hash.slice(0, 16)}…, in ${out}`);
}

async function check(call: Call, file: string, older: string | undefined): Promise<void> {
  const { n, hash, agentId, signedAt, records, olderRecords } = await checkExport(file, older);
  const value = { n, hash, agent_id: agentId, signed_at: iso(signedAt), records, older_records: olderRecords };
  call.print(value, () => [
    `whole: ${records} records, the last one ${hash}`,
    `signed by ${agentId}`,
    ...(olderRecords === undefined ? [] : [`holds all ${olderRecords} records of ${older}, unaltered`]),
  ]);
  call.say(
    `By its own clock it was signed at ${iso(signedAt)}. Whoever has the keys of that agent could have written another log:`,
    olderRecords === undefined
      ? "compare with an export that you kept elsewhere (--since)."
      : "what is before the older export is as it was then.",
  );
}
