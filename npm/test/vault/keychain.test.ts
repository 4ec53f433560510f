import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { scratch } from "../support/scratch.ts";
import { storedKeys } from "./support/keys.ts";

// The keychain of a Linux desktop, for real: GNOME Keyring on a message bus of its own. scripts/setup-keychain
// installs both.

const STEP = join(import.meta.dirname, "support/keychain.mjs");
const home = scratch();
const env: NodeJS.ProcessEnv = {
  ...process.env,
  HOME: home,
  XDG_RUNTIME_DIR: join(home, "run"),
  XDG_CACHE_HOME: join(home, "cache"),
  XDG_DATA_HOME: join(home, "data"),
};
const started: ChildProcess[] = [];

before(async () => {
  mkdirSync(join(home, "run"), { mode: 0o700 });
  env.DBUS_SESSION_BUS_ADDRESS = await startBus();
  const keyring = spawn("gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], {
    env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  started.push(keyring);
  keyring.stdin?.end("the desktop's password");
  await untilServed();
});

after(async () => {
  for (const child of started.reverse()) {
    const gone = once(child, "exit");
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await gone;
  }
});

/** Resolves with its address. */
async function startBus(): Promise<string> {
  const bus = spawn("dbus-daemon", ["--session", "--nofork", "--print-address"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  started.push(bus);
  const [text] = await once(bus.stdout, "data");
  return String(text).trim();
}

/** Waits until the keyring is on the bus: before that, the bus would start one that is locked. */
async function untilServed(): Promise<void> {
  const question = [
    "--session",
    "--print-reply",
    "--dest=org.freedesktop.DBus",
    "/",
    "org.freedesktop.DBus.NameHasOwner",
  ];
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const { stdout } = await promisify(execFile)("dbus-send", [...question, "string:org.freedesktop.secrets"], { env });
    if (stdout.includes("boolean true")) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no keyring on the bus");
}

async function step(dataDir: string, name: string, more: NodeJS.ProcessEnv = {}) {
  const { stdout } = await promisify(execFile)(process.execPath, [STEP, dataDir, name], { env: { ...env, ...more } });
  return JSON.parse(stdout);
}

test("the keychain of the desktop keeps the key of the keys", async () => {
  const dataDir = join(scratch(), "data");
  const sealed = await step(dataDir, "seal");
  assert.equal(sealed.after, sealed.before, JSON.stringify(sealed));
  assert.equal(sealed.isErased, true);
  assert.match(sealed.words.join(), /@napi-rs\/keyring/, "the package was fetched, and that was said");
  for (const [key, value] of storedKeys(dataDir)) assert.match(value, /^sealed1:/, key);
  assert.deepEqual(await step(dataDir, "open"), { id: sealed.before });
  // Not of this session: as on a server, or after the keyring was lost.
  const elsewhere = await step(dataDir, "open", { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" });
  assert.equal(elsewhere.error, "keychain_unavailable");
  assert.match(elsewhere.message, /log in to the desktop session and unlock it, or keep the keys under a passphrase/);
  assert.deepEqual(await step(dataDir, "plain"), { before: "keychain", isErased: true });
  assert.deepEqual(await step(dataDir, "open"), { id: sealed.before });
  await step(dataDir, "seal");
  await step(dataDir, "wipe");
  assert.ok(!existsSync(dataDir));
});
