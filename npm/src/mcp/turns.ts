import type * as z from "zod";
import type { BondView, TurnView } from "../node.js";
import { type Part, part, partWithin, words } from "./frame.js";
import { jsonBytes, type Room } from "./room.js";
import type { turn } from "./schemas.js";
import { iso } from "./time.js";

/** A turn as results show it. */
export type TurnResult = z.input<typeof turn>;

/** Bytes of the name of a deliverable that are shown: all of it. */
const LABEL_CAP = 128 * 8;

/** Whose words a turn is: a peer's name, or nobody's if they are our own. */
function authorOf({ by }: TurnView, { petname }: BondView): string | undefined {
  return by === "peer" ? petname : undefined;
}

function turnResult(view: TurnView, bond: BondView, body: Part): TurnResult {
  const by = authorOf(view, bond);
  const { deliverable } = view;
  return {
    n: view.n,
    by: view.by,
    type: words(by, view.msgType, 64),
    body: body.text,
    next_offset: body.next_offset,
    deliverable: deliverable && {
      kind: deliverable.kind,
      name: words(by, deliverable.name, LABEL_CAP),
      media_type: words(by, deliverable.media_type, LABEL_CAP),
      artifact_hash: deliverable.sha256,
      bytes: deliverable.bytes,
    },
    at: iso(view.at),
  };
}

/** A page of turns. */
export interface TurnsPage {
  turns: TurnResult[];
  more: boolean;
  next_since?: number;
}

/** The turns after number `since`, as many as there is room for. The body of the first one begins at `offset`. */
export function turnsPage(
  all: TurnView[],
  bond: BondView,
  since: number,
  offset: number,
  cap: number,
  room: Room,
): TurnsPage {
  const turns: TurnResult[] = [];
  for (const view of all.filter(({ n }) => n > since)) {
    const from = turns.length === 0 ? offset : 0;
    let shown = turnResult(view, bond, part(authorOf(view, bond), view.body, from, cap));
    const isAskedFor = turns.length === 0 && (from > 0 || !fits(shown, room));
    if (isAskedFor) {
      const head = jsonBytes(turnResult(view, bond, { text: "" }));
      const bytes = Math.max(room.left - head - 200, 0);
      shown = turnResult(view, bond, partWithin(authorOf(view, bond), view.body, from, bytes));
    }
    if (!room.take(shown)) return { turns, more: true, next_since: turns.at(-1)?.n ?? since };
    turns.push(shown);
  }
  return { turns, more: false };
}

function fits(value: unknown, room: Room): boolean {
  return jsonBytes(value) < room.left;
}

/** Whose the deliverable is: our own only if nobody else put it forward. */
export function authorOfDeliverable(all: TurnView[], bond: BondView, sha256: string): string | undefined {
  const isPeers = all.some(({ by, deliverable }) => by === "peer" && deliverable?.sha256 === sha256);
  return isPeers ? bond.petname : undefined;
}
