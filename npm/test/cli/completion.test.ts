// Completion: the scripts, and what bash really completes with them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Owner } from "./support/run.ts";

/** What bash offers for a line: the words, the last of which is not finished. */
async function completer(owner: Owner) {
  const { stdout } = await owner.run(["completion", "bash"]);
  writeFileSync(join(owner.home, "completion"), stdout);
  return (line: string): string[] => {
    const words = line.split(" ");
    const quoted = words.map((word) => `'${word}'`).join(" ");
    // As readline does it.
    const script = `source completion; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
      complete -p agentpair >/dev/null || exit 1; _agentpair; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync("bash", ["--norc", "-c", script], { cwd: owner.home, encoding: "utf8" });
    return printed.split("\n").filter((word) => word !== "");
  };
}

test("bash completes verbs, options, their values, and files", async (t) => {
  const owner = new Owner(t, "http://127.0.0.1:9");
  const complete = await completer(owner);
  writeFileSync(join(owner.home, "my file.json"), "");
  mkdirSync(join(owner.home, "my directory"));

  const verbs = complete("agentpair ");
  for (const verb of ["pair", "join", "send", "session", "verify", "doctor", "help"])
    assert.ok(verbs.includes(verb), verb);
  assert.deepEqual(complete("agentpair ver"), ["verify-peer", "verify"]);
  assert.deepEqual(complete("agentpair session s"), ["show", "sign"]);
  assert.deepEqual(complete("agentpair session show x --deli"), ["--deliverable"]);
  assert.deepEqual(complete("agentpair pair --form "), ["words", "digits", "link"]);
  assert.deepEqual(complete("agentpair doctor --config c"), ["claude-desktop", "claude-code", "cursor", "codex"]);
  assert.deepEqual(complete("agentpair completion f"), ["fish"]);
  assert.ok(complete("agentpair pair --").includes("--petname"));
  assert.ok(complete("agentpair pair --").includes("--json"));
  assert.ok(!complete("agentpair bonds --").includes("--petname"));
  assert.ok(complete("agentpair verify my").includes("my file.json"));
  assert.deepEqual(complete("agentpair --data-dir my"), ["my directory"]);
  assert.deepEqual(complete("agentpair --json bonds --data-dir my"), ["my directory"]);
  assert.deepEqual(complete("agentpair bonds my"), []);
  assert.deepEqual(complete("agentpair pair --petname my"), []);
});

test("each verb is in each script, with what it does", async (t) => {
  const owner = new Owner(t, "http://127.0.0.1:9");
  const { stdout: help } = await owner.run(["--help"]);
  const verbs = [...help.matchAll(/^ {2}([a-z][a-z-]*) .* {2,}\S/gm)].map(([, verb = ""]) => verb);
  assert.ok(verbs.length > 15);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await owner.run(["completion", shell]);
    for (const verb of verbs) assert.match(stdout, new RegExp(`['" ]${verb}['": ]`), `${shell}: ${verb}`);
  }
  await owner.run(["completion", "tcsh"], { code: 2 });
});
