import { readFileSync } from "node:fs";
import { AgentPairError } from "../errors.js";
import { notWaiting } from "../host/decide-here.js";
import type { Host } from "../host/host.js";
import type { PendingItem } from "../host/types.js";
import type { Decision } from "../wasm/agentpair.js";

/** How a human who was shown an item said what shall be. */
export interface HumanWord {
  /** Where the human was asked. */
  channel: "terminal" | "page";
  decision: Decision;
  /** The PIN, where one is set. */
  pin?: string | undefined;
  /** Words for a rejection; the peer may be told. */
  reason?: string | undefined;
}

/**
 * Decides an item as it was shown to the human, with the code that lies in its approval file: nobody has to type it.
 *
 * @param shown what the human saw: its `id` and `digest`.
 * @throws AgentPairError `pending_not_found` if it does not wait any more, or is not what was shown; `pin_required`,
 * `invalid_pin`, `attempts_exhausted`; `codes_missing`.
 */
export async function decideShown(
  host: Host,
  shown: { id: string; digest: string },
  { decision, channel, pin, reason }: HumanWord,
): Promise<Decision> {
  const code = await codeOf(host, shown, decision);
  return host.decide(shown.id, code, {
    channel,
    decision,
    ...(pin === undefined ? {} : { pin }),
    ...(reason === undefined || reason === "" ? {} : { reason }),
  });
}

/** The code that stands for a decision; new codes are made if the file is gone. */
async function codeOf(host: Host, shown: { id: string; digest: string }, decision: Decision): Promise<string> {
  const found = codeIn(await waiting(host, shown), decision);
  if (found !== undefined) return found;
  await host.reissue(shown.id);
  const item = await waiting(host, shown);
  const again = codeIn(item, decision);
  if (again !== undefined) return again;
  const text = `the codes of ${shown.id} cannot be read${item.place === undefined ? "" : ` in ${item.place}`}: is the disk full, or the file another user's?`;
  throw new AgentPairError("codes_missing", "caller", text);
}

async function waiting(host: Host, { id, digest }: { id: string; digest: string }): Promise<PendingItem> {
  const item = (await host.pendings()).find((one) => one.id === id && one.digest === digest);
  if (!item) throw notWaiting();
  return item;
}

/** Only lines of ours begin at the margin, so no peer can write one that is taken for a code. */
function codeIn({ place }: PendingItem, decision: Decision): string | undefined {
  if (place === undefined) return undefined;
  try {
    return new RegExp(`^${decision}: +(\\d{6})$`, "m").exec(readFileSync(place, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
