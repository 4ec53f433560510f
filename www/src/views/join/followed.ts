import { effect, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { loadCore } from "../../host.ts";
import { live, phase } from "../../live.ts";
import { route } from "../../route.ts";

/**
 * The pairing that a view is about, by its id, which is no secret: it is found again after a reload. Whoever leaves the
 * view when it is over is done with it.
 */
export function followed(view: "invite" | "join"): Signal<string | undefined> {
  const key = `agentpair.${view}`;
  const kept = signal(read(key));
  effect(() => {
    const pairing = live.value?.pairings.find(({ id }) => id === kept.value);
    if (route.value.view !== view && pairing?.outcome !== undefined) kept.value = undefined;
    write(key, kept.value);
  });
  return kept;
}

function read(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, id: string | undefined): void {
  try {
    if (id === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, id);
  } catch {}
}

/** Whether it is not known yet if the pairing of before a reload is there: the host is being opened. */
export function useReturn(kept: Signal<string | undefined>): boolean {
  useEffect(() => {
    if (kept.value === undefined || live.value !== undefined) return;
    const forget = () => {
      kept.value = undefined;
    };
    loadCore()
      .then(({ Host }) => Host.exists())
      .then((isThere) => isThere || forget(), forget);
  }, []);
  return kept.value !== undefined && live.value === undefined && phase.value !== "failed";
}
