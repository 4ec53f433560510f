// The audit log by the command line: exports that other programs read, and checks of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { AuditRecord } from "agentpair";
import { build } from "esbuild";
import { Relay } from "../support/relay.ts";
import { scratch } from "../support/scratch.ts";
import { pair } from "./support/pairing.ts";
import { jsonLines, Owner } from "./support/run.ts";

const { url: relay } = await Relay.start({ after });
const [alice, bob] = [new Owner({ after }, relay), new Owner({ after }, relay)];
await pair(alice, bob);
const at = (name: string) => join(alice.home, name);

/** Rows of a CSV file as Python's own reader sees them. */
function rows(file: string): string[][] {
  const script =
    "import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline='', encoding='utf-8'), strict=True))))";
  return JSON.parse(execFileSync("python3", ["-c", script, file], { encoding: "utf8" }));
}

test("both forms hold the same records, and end with the same signed head", async () => {
  await alice.run(["audit", "--out", "log.csv"]);
  const { stdout } = await alice.run(["audit", "--format", "jsonl"]);
  writeFileSync(at("log.jsonl"), stdout);
  const [header, ...lines] = rows(at("log.csv"));
  assert.deepEqual(header, ["n", "at", "act", "bond", "facts", "prev", "hash", "agent_id", "sig"]);
  const text = readFileSync(at("log.csv"), "utf8");
  assert.equal(text.split("\r\n").length - 1, lines.length + 1);
  assert.doesNotMatch(text.replaceAll("\r\n", ""), /[\r\n]/);

  const values = jsonLines(stdout);
  const { head } = values.pop();
  const last = lines.pop() ?? [];
  assert.deepEqual([Number(last[0]), last[6], last[7]], [head.n, head.hash, head.agentId]);
  // A signature may begin with a hyphen, which the table guards with an apostrophe.
  assert.match(last[8] ?? "", /^(?:'-)?[\w-]{85,86}$/);
  assert.equal(head.n, values.length);
  for (const [n, record] of values.entries()) {
    const [number, when, act, bond, facts, prev, hash] = lines[n] ?? [];
    const shown = { n: Number(number), at: Date.parse(when ?? ""), act, prev, hash };
    assert.deepEqual(shown, { n: record.n, at: record.at, act: record.act, prev: record.prev, hash: record.hash });
    assert.equal(bond, record.bond ?? "");
    assert.deepEqual(facts === "" ? undefined : JSON.parse(facts ?? ""), record.facts);
  }
});

test("whoever has no keys can check an export, alone or against an older one", async (t) => {
  await alice.run(["send", "bob", "one more record"]);
  await alice.run(["audit", "--out", "newer.jsonl", "--format", "jsonl"]);
  const judge = new Owner(t, "http://127.0.0.1:9");
  const check = (...words: string[]) =>
    judge.json(["audit", "--verify", ...words.map((name) => name.replace("@", `${alice.home}/`))]);
  const [older] = await check("@log.csv");
  const [newer] = await check("@newer.jsonl", "--since", "@log.csv");
  assert.ok(newer.n > older.n);
  assert.deepEqual([newer.agent_id, newer.older_records], [older.agent_id, older.n]);
  assert.throws(() => readFileSync(judge.dataDir), /ENOENT/);

  const refused = async (pattern: RegExp, ...words: string[]) => {
    const { stderr, stdout } = await judge.run(["audit", "--verify", ...words], { code: 1 });
    assert.match(stderr, pattern);
    assert.equal(stdout, "");
  };
  await refused(/records? .* missing in/, at("log.csv"), "--since", at("newer.jsonl"));
  const csv = readFileSync(at("log.csv"), "utf8");
  const lines = csv.split("\r\n");
  const write = (name: string, text: string) => {
    writeFileSync(at(name), text);
    return at(name);
  };
  await refused(
    /record 2 is missing or was altered/,
    write("altered.csv", csv.replace(/^(2,[^,]+),\w+,/m, "$1,nothing,")),
  );
  await refused(/record 3 is missing or was altered/, write("gap.csv", lines.toSpliced(3, 1).join("\r\n")));
  await refused(/does not end with a signed head/, write("cut.csv", lines.slice(0, -2).join("\r\n")));
  await refused(/signature of the head/, write("forged.csv", csv.replace(/,ed25519:[^,]+,/, `,${other()},`)));
  await refused(/is no export/, write("else.csv", "a,b\r\n1,2\r\n"));
  await refused(/is no export/, write("else.jsonl", "{nonsense\n"));
  await bob.run(["audit", "--out", at("bob.csv")]);
  await refused(/two different agents/, at("newer.jsonl"), "--since", at("bob.csv"));
});

/** Another agent's id. */
function other(): string {
  return (
    rows(at("log.csv"))
      .flat()
      .find((cell) => /^ed25519:/.test(cell))
      ?.replace(/.$/, (c) => (c === "A" ? "E" : "A")) ?? ""
  );
}

test("no cell of a table is a formula, and nothing is lost by that", async () => {
  // No act of this version begins so; those of the next one may. The very code of the command, on records made up.
  const file = join(scratch(), "audit-file.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/cli/audit-file.ts")],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  const { writer, readExport } = await import(pathToFileURL(file).href);
  const texts = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\uff1d1",
    'say "hi", twice\r\n=2',
    "'quoted'",
    "plain",
  ];
  const records: AuditRecord[] = texts.map((text, n) => {
    return {
      n: n + 1,
      at: 1_700_000_000_123 + n,
      act: text,
      bond: text,
      facts: [[text, text]],
      prev: "00",
      hash: "11",
    };
  });
  const head = { n: texts.length, hash: "11", at: 1_700_000_000_999, agentId: "ed25519:x", sig: "-sig" };
  const { begin, records: part, end } = await writer("csv");
  const text = begin() + part(records) + end(head);
  const table = join(scratch(), "table.csv");
  writeFileSync(table, text);
  for (const cell of rows(table).flat()) assert.doesNotMatch(cell, /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/);
  assert.deepEqual(await readExport(text, "it"), { records, head });
});
