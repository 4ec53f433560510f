// What the README and the guides say is checked here: the example runs, and links lead somewhere.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Relay } from "./support/relay.ts";
import { scratch } from "./support/scratch.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "npm/examples/two-hosts.mjs");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The Markdown files of the project, whether they are committed yet or not. */
function pages(): string[] {
  const options = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
  const listed = execFileSync("git", options, { cwd: ROOT, encoding: "utf8" });
  return listed.split("\n").filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

/** A page without its blocks of code. */
function prose(path: string): string {
  return read(path).replace(/^```[\s\S]*?^```$/gm, "");
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(path: string): Set<string> {
  const headings = [...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    ),
  );
}

test("the README shows the example as it is", () => {
  const [, code] = /<!-- example -->\n```js\n([\s\S]*?)```/.exec(read("README.md")) ?? [];
  assert.equal(code, readFileSync(EXAMPLE, "utf8"));
});

test("the output of the demo that the README shows is that of these examples", () => {
  const [, output = ""] = /<!-- demo output -->\n```text\n([\s\S]*?)```/.exec(read("README.md")) ?? [];
  const sha256 = createHash("sha256").update(read("examples/order-api/counter.json")).digest("hex");
  assert.equal(output.trimEnd().split("\n").at(-1), `agreed ${sha256}`);
});

test("the example runs", async (t) => {
  const relay = await Relay.start(t);
  const env = { ...process.env, AGENTPAIR_RELAY_URL: relay.url, TMPDIR: scratch() };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [EXAMPLE], { env, timeout: 120_000 });
  const [paired, heard, agreed, ...rest] = stdout.trimEnd().split("\n");
  assert.deepEqual([paired, heard, rest], ["paired", "Bob reads: Shall we fix the price?", []]);
  assert.match(agreed ?? "", /^agreed: Fix the price of one hour, [0-9a-f]{16}…$/);
  assert.equal(stderr, "");
});

test("links lead to files and headings of this project", () => {
  const broken: string[] = [];
  let seen = 0;
  for (const page of pages()) {
    for (const [, target = ""] of prose(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      seen += 1;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      const isThere = existsSync(join(ROOT, file));
      const hasAnchor =
        anchor === undefined || (isThere && statSync(join(ROOT, file)).isFile() && anchors(file).has(anchor));
      if (!isThere || !hasAnchor) broken.push(`${page}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(seen > 40, `only ${seen} links were found`);
});
