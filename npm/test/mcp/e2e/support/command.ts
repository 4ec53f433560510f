import { execFile } from "node:child_process";
import { PROGRAM } from "./wire.ts";

/** What a command came to. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `agentpair` in a data directory, without a terminal. */
export function agentpair(dataDir: string, relay: string, ...words: string[]): Promise<Ran> {
  const env = { ...process.env, AGENTPAIR_DATA_DIR: dataDir, AGENTPAIR_RELAY_URL: relay };
  return new Promise((resolve) => {
    const options = { env, maxBuffer: 64 * 1024 * 1024, timeout: 60_000 };
    const child = execFile(process.execPath, [PROGRAM, ...words], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** The JSON values on standard output, one a line. */
export function jsonLines({ stdout }: Ran): unknown[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
