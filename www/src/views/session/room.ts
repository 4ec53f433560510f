import { useSignal } from "@preact/signals";
import type { BondView, Deliverable, SessionView, TurnView } from "agentpair";
import { useEffect } from "preact/hooks";
import { codeOf, live, openHost } from "../../live.ts";

/** All that is shown of a negotiation. */
export interface Room {
  bond: BondView;
  view: SessionView;
  turns: TurnView[];
  /** The texts that were put forward, by hash. */
  texts: ReadonlyMap<string, Deliverable>;
  /** The evidence, once there is any. */
  receipt: string | undefined;
}

/** What was read of a negotiation. */
export interface Found {
  /** The negotiation; nothing until it is read, `missing` if there is none. */
  room: Room | "missing" | undefined;
  /** Why it could not be read the last time. */
  error: unknown;
}

/** A negotiation as it stands, read again after every change. */
export function useRoom(bond: string, thread: string): Found {
  const room = useSignal<Found["room"]>(undefined);
  const error = useSignal<unknown>(undefined);
  const now = live.value;
  useEffect(() => {
    if (!now) return;
    let isCurrent = true;
    roomOf(bond, thread, room.peek()).then(
      (found) => {
        if (!isCurrent) return;
        room.value = found;
        error.value = undefined;
      },
      (thrown) => {
        // A host that was closed has its own words on the page.
        if (isCurrent && codeOf(thrown) !== "host_closed") error.value = thrown;
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [now, bond, thread]);
  return { room: room.value, error: error.value };
}

async function roomOf(bondId: string, thread: string, before: Found["room"]): Promise<Room | "missing"> {
  const bond = live.value?.bonds.find(({ id }) => id === bondId);
  const host = await openHost();
  const view = bond && (await host.session(bondId, thread));
  if (!bond || !view) return "missing";
  const turns = await host.turns(bondId, thread);
  const texts = new Map(typeof before === "object" && before.view.thread === thread ? before.texts : []);
  const named = [...turns.map(({ deliverable }) => deliverable?.sha256), view.deliverable?.sha256, view.signedByPeer];
  for (const sha256 of new Set(named)) {
    if (sha256 === undefined) continue;
    const text = texts.has(sha256) ? undefined : await host.deliverable(bondId, thread, sha256);
    if (text) texts.set(sha256, text);
  }
  const receipt = view.hasReceipt ? await host.receipt(bondId, thread) : undefined;
  return { bond, view, turns, texts, receipt };
}
