import { execFile } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratch } from "./scratch.ts";

const run = promisify(execFile);
const NPM = join(import.meta.dirname, "../..");

/** A folder into which the package was installed from its tarball, as a user would. */
export async function installed(): Promise<string> {
  const [folder, packed] = [scratch(), scratch()];
  await run("npm", ["pack", "--pack-destination", packed, "--loglevel=error"], { cwd: NPM });
  const [tarball = ""] = readdirSync(packed);
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const options = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...options, join(packed, tarball)], { cwd: folder });
  return folder;
}
