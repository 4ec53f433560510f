// The server processes behind a relay, as Linux tells of them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { until } from "./kit.mjs";

export const isLinux = process.platform === "linux";

const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

/** The workerd processes that a process, or one below it, started. */
export function workerds(ancestor) {
  const processes = pids().flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat);
      const [state, parent] = rest.split(" ");
      return state === "Z" ? [] : [{ pid: Number(pid), name, parent: Number(parent) }];
    } catch {
      return [];
    }
  });
  const below = new Set([ancestor]);
  // Parents come before their children only by accident: go round until nothing is added.
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
  }
  return processes.filter(({ pid, name }) => below.has(pid) && name === "workerd").map(({ pid }) => pid);
}

/** What a process has open: paths of files, and `socket:[…]`. */
export function openFiles(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** The workerd below this process that listens on a port, if it does by now. */
function serverOf(port) {
  const listening = "0A";
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const sockets = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = "", , state]) => address.endsWith(local) && state === listening)
    .map((columns) => `socket:[${columns[9]}]`);
  return workerds(process.pid).find((pid) => openFiles(pid).some((file) => sockets.includes(file)));
}

/** The server process of a relay that this process runs. */
export function serverPid({ port }) {
  return serverOf(port) ?? assert.fail(`no workerd listens on ${port}`);
}

/** Kills the server process of a relay that this process runs, as a crash would. Its keeper starts another one. */
export async function crash(relay) {
  const pid = serverPid(relay);
  process.kill(pid, "SIGKILL");
  await until(() => {
    const next = serverOf(relay.port);
    return next !== undefined && next !== pid;
  }, "it does not come back");
}
