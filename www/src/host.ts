// The protocol core, loaded when it is first needed. Everything of the package that the page uses comes through here.
import type * as Package from "agentpair";

let loading: Promise<typeof Package> | undefined;

/** Loads the package and its WebAssembly, once; after a failure it may be tried again. */
export function loadCore(): Promise<typeof Package> {
  loading ??= import("agentpair")
    .then(async (core) => {
      await core.init();
      return core;
    })
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** Base URLs of the relays that this page may talk to; the first is the one for new invites. */
export const RELAYS: readonly string[] = (
  document.querySelector<HTMLMetaElement>('meta[name="agentpair-relays"]')?.content ?? ""
)
  .split(" ")
  .filter(Boolean);
