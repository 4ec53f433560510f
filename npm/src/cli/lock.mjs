// A lock file with the id of the process that has it. JavaScript, since scripts use it before anything is built.
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** How often a lock that another process has is looked at, in milliseconds. */
const LOOK_MS = 200;
/** How long a lock may be empty: its owner writes its id at once, unless it died in between. */
const EMPTY_MS = 5_000;

export async function lock(file, { signal, onWait } = {}) {
  for (let isTold = false; ; ) {
    const holder = tryLock(file);
    if (typeof holder === "function") return holder;
    if (!isTold && holder > 0) {
      isTold = true;
      onWait?.(holder);
    }
    await pause(LOOK_MS, undefined, { signal }).catch((error) => {
      signal?.throwIfAborted();
      throw error;
    });
  }
}

export function tryLock(file) {
  for (;;) {
    try {
      const handle = openSync(file, "wx", 0o600);
      writeFileSync(handle, String(process.pid));
      closeSync(handle);
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = holderOf(file);
    if (holder !== undefined) return holder;
    rmSync(file, { force: true });
  }
}

/** The process that has a lock, 0 if it has just been taken; nothing if nobody has it any more. */
function holderOf(file) {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    if (pid === process.pid) return undefined;
    if (pid > 0) return isAlive(pid) ? pid : undefined;
    return Date.now() - statSync(file).mtimeMs < EMPTY_MS ? 0 : undefined;
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
