import type { BondView } from "../wasm/agentpair.js";

/** Whether a bond has ended. */
export function isOver({ status }: Pick<BondView, "status">): boolean {
  return status === "revoked" || status === "revoked_by_peer" || status === "failed";
}
