// What keeps the data of the page, and what ends them: backup, restore, wipe.
import type { Host, Persistence, Restored } from "agentpair";
import { forgetDrafts } from "./draft.ts";
import { loadCore } from "./host.ts";
import { closeHost, codeOf, failure, openHost, phase } from "./live.ts";
import { wipeNotes } from "./notes.ts";
import { forgetSeen } from "./seen.ts";

/** Everything of this page's host, sealed under a passphrase. */
export async function backUp(passphrase: string): Promise<Blob> {
  const { backup } = await loadCore();
  return backup((await openHost()) as Host, passphrase);
}

/** Puts a backup into this page, which has to be empty, and opens it. */
export async function restoreFrom(file: Blob, passphrase: string): Promise<Restored> {
  const { restore } = await loadCore();
  const restored = await restore(file, passphrase);
  await forgetTraces();
  await openHost();
  return restored;
}

/**
 * Removes everything of this page from the browser. What the browser itself has removed meanwhile is no failure.
 *
 * @throws `wipe_pending` if another tab keeps the data until it is closed, and what `wipe` throws.
 */
export async function wipeAll(): Promise<void> {
  const { wipe } = await loadCore();
  await closeHost();
  const thrown = await wipe().catch((error: unknown) => error);
  const code = codeOf(thrown);
  const isGone = thrown === undefined || code === "no_store";
  // It will happen, and nobody can stop it: what the page itself remembers goes at once.
  const isPending = code === "store_in_use";
  if (isGone || isPending) await forgetTraces();
  if (isGone) return;
  // It is there still: the page does not look as if it were not.
  const error = isPending ? Object.assign(new Error("another tab delays the wipe"), { code: "wipe_pending" }) : thrown;
  failure.value = error;
  phase.value = "failed";
  throw error;
}

/** Asks the browser to keep the data, and tells how things stand. */
export async function askToKeep(): Promise<Persistence> {
  const { persistence } = await loadCore();
  return persistence();
}

/** What the page itself remembers beside the host. */
async function forgetTraces(): Promise<void> {
  await wipeNotes();
  forgetSeen();
  forgetDrafts();
}
