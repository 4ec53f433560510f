import { spawn } from "node:child_process";
import { once } from "node:events";
import { PROGRAM } from "./wire.ts";

/** Time for a command at a terminal, in milliseconds. */
const END_MS = 60_000;

/**
 * Runs `agentpair` at a pseudo-terminal, and types an answer after each prompt, in order. Whoever has a shell can do
 * that.
 */
export async function atTerminal(
  dataDir: string,
  relay: string,
  words: readonly string[],
  answers: readonly (readonly [RegExp, string])[],
): Promise<{ code: number | null; output: string }> {
  const quoted = [process.execPath, PROGRAM, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const env = { ...process.env, AGENTPAIR_DATA_DIR: dataDir, AGENTPAIR_RELAY_URL: relay, TERM: "xterm", CI: "" };
  const child = spawn("script", ["-qec", quoted.join(" "), "/dev/null"], { env, stdio: ["pipe", "pipe", "inherit"] });
  const left = [...answers];
  let output = "";
  let fresh = "";
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    fresh += text;
    const [next] = left;
    if (!next?.[0].test(fresh)) return;
    left.shift();
    fresh = "";
    child.stdin.write(`${next[1]}\r`);
  });
  const patience = setTimeout(() => child.kill("SIGKILL"), END_MS);
  const [code] = await once(child, "close");
  clearTimeout(patience);
  return { code, output };
}
