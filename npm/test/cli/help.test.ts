// The help texts, pinned in ./help.txt: whoever changes one sees it there. `UPDATE=1` writes them anew.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Owner } from "./support/run.ts";

const FILE = join(import.meta.dirname, "help.txt");

test("each help text is as it is pinned", async (t) => {
  const owner = new Owner(t, "http://127.0.0.1:9");
  const texts: string[] = [];
  /** A command's help, and that of the commands below it. */
  const read = async (path: string[]): Promise<void> => {
    const { stdout } = await owner.run([...path, "--help"]);
    texts.push(`$ ${["agentpair", ...path, "--help"].join(" ")}\n${stdout.trimEnd()}\n`);
    for (const verb of verbsIn(stdout)) await read([...path, verb]);
  };
  await read([]);
  assert.ok(texts.length > 30, `only ${texts.length} help texts were found`);
  const all = texts.join("\n");
  if (process.env.UPDATE) writeFileSync(FILE, all);
  assert.equal(all, readFileSync(FILE, "utf8"));
});

/** The verbs that a help text lists: under a heading of commands, not of options or arguments. */
function verbsIn(help: string): string[] {
  const sections = help.split(/\n(?=\S[^\n]*:\n)/);
  const commands = sections.filter(
    (section) => !/^(Usage|Arguments|Options|Global Options|Environment)\b/.test(section),
  );
  const found = commands.flatMap((section) => [...section.matchAll(/^ {2}([a-z][a-z-]*)(?: [[<].*?)? {2,}\S/gm)]);
  return found.map(([, verb = ""]) => verb).filter((verb) => verb !== "help");
}
