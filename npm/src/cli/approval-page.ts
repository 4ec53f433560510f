import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ApprovalPage } from "../approve/page-server.js";
import type { NodeHost } from "../host/node-host.js";
import { writePrivateFile } from "../store/private-files.js";
import { OPENER } from "../vault/data-files.js";
import type { Call } from "./call.js";
import { EXIT } from "./exit.js";

/** How long a browser gets to read the file that leads it to the page, in milliseconds. */
const OPENING_MS = 30_000;

/** Serves the approval page until Ctrl-C, or until nobody has used it for a while. */
export async function servePage(call: Call, host: NodeHost, isOpened: boolean): Promise<number> {
  const page = await ApprovalPage.start(host);
  const stop = () => void page.close();
  call.signal.addEventListener("abort", stop);
  const opener = join(host.dataDir, OPENER);
  try {
    call.say("Decide here, and give this address to nobody: it decides in your name. Ctrl-C ends the page.");
    call.print({ url: page.url }, () => page.url);
    if (isOpened) open(call, page.url, opener);
    if ((await page.ended) === "idle") call.say("Nobody used the page for 15 minutes: it has ended.");
  } finally {
    call.signal.removeEventListener("abort", stop);
    rmSync(opener, { force: true });
    await page.close();
  }
  call.signal.throwIfAborted();
  return EXIT.done;
}

/** Through a file of ours alone: everybody on this machine could read the address among a browser's arguments. */
function open(call: Call, url: string, opener: string): void {
  const { platform, env } = process;
  const hasDisplay = platform === "darwin" || platform === "win32" || env.DISPLAY || env.WAYLAND_DISPLAY;
  if (!hasDisplay) {
    call.say("There is no display to open a browser on: open the address yourself.");
    return;
  }
  writePrivateFile(
    opener,
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>AgentPair</title><meta http-equiv="refresh" content="0;url=${url}">\n`,
  );
  setTimeout(() => rmSync(opener, { force: true }), OPENING_MS).unref();
  const [program, words] =
    platform === "darwin" ? ["open", [opener]] : platform === "win32" ? ["explorer", [opener]] : ["xdg-open", [opener]];
  spawn(program as string, words as string[], { stdio: "ignore", detached: true })
    .on("error", () => call.say("No browser could be opened: open the address yourself."))
    .unref();
}
