import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { AgentPairError } from "../errors.js";
import { lock } from "./lock.mjs";

// What only some owners need is not shipped but fetched when it is asked for: exactly the versions of a lock file that
// is shipped, each checked against its hash there, by the owner's own npm. No script of a fetched package runs.

/** How to fetch. */
export interface FetchOptions {
  /** Told what is under way, in words, before anything takes long. */
  onStart?: ((text: string) => void) | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

/** The shipped lock file and manifest of something that can be fetched. */
interface Recipe {
  manifest: string;
  lockfile: string;
  /** The packages' names and versions, such as `miniflare 4.1.0`. */
  title: string;
  /** Where it is, once it is fetched. */
  directory: string;
}

/** The directory in which something was fetched, if it was: to import from with {@link importFrom}. */
export function fetchedAlready(name: string): string | undefined {
  const { directory } = recipe(name);
  return existsSync(directory) ? directory : undefined;
}

/**
 * Fetches something, unless it is there: `name` is a directory of `fetched/` in this package. Two processes at once
 * fetch it once. Resolves with the directory to import from.
 *
 * @throws AgentPairError `fetch_failed`, `npm_missing`; the reason of the signal.
 */
export async function fetched(name: string, options: FetchOptions = {}): Promise<string> {
  const { manifest, lockfile, title, directory } = recipe(name);
  if (existsSync(directory)) return directory;
  const { onStart, signal } = options;
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const unlock = await lock(`${directory}.lock`, {
    signal,
    onWait: (pid) => onStart?.(`process ${pid} is fetching ${title}: waiting for it`),
  });
  // Complete, or not there at all: it gets its name when it is whole.
  const draft = mkdtempSync(`${directory}.`);
  try {
    if (existsSync(directory)) return directory;
    onStart?.(`fetching ${title} by npm, once, into ${cache}`);
    writeFileSync(join(draft, "package.json"), manifest);
    writeFileSync(join(draft, "package-lock.json"), lockfile);
    await install(draft, title, signal);
    // Where a lock was thought to be stale and was not, another process may have been first.
    if (!existsSync(directory)) renameSync(draft, directory);
    return directory;
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 });
    unlock();
  }
}

/** Imports a package that was fetched into a directory. */
export async function importFrom<T>(directory: string, name: string): Promise<T> {
  const file = createRequire(join(directory, "package.json")).resolve(name);
  return import(pathToFileURL(file).href);
}

/** Where fetched packages are kept: a place that may be emptied at any time. */
export function cacheDirectory(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, "agentpair");
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "agentpair", "cache");
  return process.platform === "darwin"
    ? join(homedir(), "Library", "Caches", "agentpair")
    : join(homedir(), ".cache", "agentpair");
}

function recipe(name: string): Recipe {
  const read = (file: string) => readFileSync(fileURLToPath(new URL(`../fetched/${name}/${file}`, import.meta.url)));
  const [manifest, lockfile] = [read("package.json"), read("package-lock.json")];
  const { dependencies } = JSON.parse(manifest.toString()) as { dependencies: { [name: string]: string } };
  const digest = createHash("sha256").update(manifest).update(lockfile).digest("hex").slice(0, 16);
  // Some packages are other ones on another platform, and a home directory may be shared.
  const place = `${name}-${digest}-${process.platform}-${process.arch}`;
  return {
    manifest: manifest.toString(),
    lockfile: lockfile.toString(),
    title: Object.entries(dependencies)
      .map((one) => one.join(" "))
      .join(", "),
    directory: join(cacheDirectory(), place),
  };
}

const INSTALL = [
  ...["ci", "--ignore-scripts", "--include=optional", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"],
  ...["--no-update-notifier", "--no-global", "--no-workspaces", "--no-dry-run", "--loglevel=error"],
];

async function install(directory: string, title: string, signal: AbortSignal | undefined): Promise<void> {
  const isWindows = process.platform === "win32";
  // Only there a shell is needed, since npm is a script; nothing of the user's is in these words.
  const npm = spawn("npm", INSTALL, { cwd: directory, stdio: ["ignore", "ignore", "pipe"], shell: isWindows, signal });
  let words = "";
  npm.stderr.setEncoding("utf8").on("data", (text) => {
    words = (words + text).slice(-20_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    npm.once("error", reject).once("close", resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    signal?.throwIfAborted();
    if (error.code !== "ENOENT") throw error;
    throw new AgentPairError("npm_missing", "caller", `npm is needed to fetch ${title}: install it, or put it on PATH`);
  });
  if (code !== 0) throw new AgentPairError("fetch_failed", "caller", `cannot fetch ${title}: ${inWords(words)}`);
}

/** What npm complained of. */
function inWords(words: string): string {
  if (/\bEINTEGRITY\b/.test(words)) {
    return "a package is not the one that this version was made with, so nothing was installed; is the registry right?";
  }
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/.test(words)) {
    return "the package registry cannot be reached; go online once, or set the registry that npm shall use";
  }
  if (/\bENOSPC\b/.test(words)) return "the disk is full";
  const lines = words.split("\n").filter((line) => !/complete log of this run|^\s*$/.test(line));
  return lines.slice(-3).join(" ").replaceAll("npm error ", "") || "npm failed without a word";
}
