import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Check, fail, ok, warn } from "./check.js";

const NAME = "data directory";
const MIB = 1024 * 1024;
/** Less than that is too little for a store that cannot write. */
const NO_SPACE = 20 * MIB;
const LITTLE_SPACE = 200 * MIB;

/** The data directory: that it is there, private and writable, and that the disk has room. */
export function checkDirectory(path: string): Check[] {
  if (!existsSync(path)) return [ok(NAME, `${path} is not there yet: it is made when it is first used`), space(path)];
  const found = statSync(path);
  if (!found.isDirectory()) {
    return [fail(NAME, `${path} is not a directory`, "remove it, or set AGENTPAIR_DATA_DIR to another place")];
  }
  return [privacy(path, found), space(path)];
}

function privacy(path: string, { mode, uid }: Stats): Check {
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) {
    return fail(NAME, `${path} belongs to another user`, "set AGENTPAIR_DATA_DIR to a directory of your own");
  }
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    const bits = (mode & 0o777).toString(8).padStart(4, "0");
    return fail(NAME, `others can enter ${path} (mode ${bits})`, `chmod 700 ${path}`);
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(NAME, `${path} cannot be written`, `chmod 700 ${path}, or check how its disk is mounted`);
  }
  return ok(NAME, `${path} is yours alone`);
}

function space(path: string): Check {
  const place = nearest(path);
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const found = `${Math.floor(free / MIB).toLocaleString("en")} MiB are free at ${place}`;
  if (free < NO_SPACE) return fail("disk", found, "make room: what cannot be stored is refused");
  return free < LITTLE_SPACE ? warn("disk", found, "make room soon") : ok("disk", found);
}

/** The directory, or the nearest one above it that is there. */
function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}
