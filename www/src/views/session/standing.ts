import type { SessionView, TurnView } from "agentpair";

/** Where a negotiation stands, as its human sees it. */
export type Standing =
  | "asked"
  | "asks"
  | "begin"
  | "they_begin"
  | "your_turn"
  | "their_turn"
  | "you_accepted"
  | "they_accepted"
  | "you_signed"
  | "they_signed"
  | "no_turns"
  | "ratify"
  | "they_ratified"
  | "you_ratified"
  | "agreed"
  | "ended";

/** Where it stands. Without the turns it does not know whether somebody accepted. */
export function standing(view: SessionView, turns: readonly TurnView[] = []): Standing {
  switch (view.status) {
    case "pending":
      return view.openedBy === "me" ? "asked" : "asks";
    case "live":
      return liveStanding(view, turns);
    case "signed":
      return view.ratifiedByMe ? "you_ratified" : view.ratifiedByPeer ? "they_ratified" : "ratify";
    case "agreed":
      return "agreed";
    default:
      return "ended";
  }
}

function liveStanding(view: SessionView, turns: readonly TurnView[]): Standing {
  const last = turns.at(-1);
  const table = onTheTable(turns)?.deliverable?.sha256;
  // What was signed before another text was put forward stays signed, but is not what this is about now. Without the
  // turns nothing tells which it was.
  const isCurrent = (sha256: string | undefined) => sha256 !== undefined && (sha256 === table || turns.length === 0);
  if (isCurrent(view.signedByMe)) return "you_signed";
  if (isCurrent(view.signedByPeer)) return "they_signed";
  if (last?.msgType === "accept") return last.by === "me" ? "you_accepted" : "they_accepted";
  if (view.turnsRemaining === 0) return "no_turns";
  if (view.turns === 0) return view.openedBy === "me" ? "begin" : "they_begin";
  return view.yourTurn ? "your_turn" : "their_turn";
}

/** Whether it is over. */
export function isOver({ status }: SessionView): boolean {
  return status === "agreed" || status === "ended";
}

/** Whether the next step is this side's. */
export function isOwnMove(at: Standing): boolean {
  return [
    "asks",
    "begin",
    "your_turn",
    "you_accepted",
    "they_accepted",
    "they_signed",
    "ratify",
    "they_ratified",
  ].includes(at);
}

/** The last text that either side put forward. */
export function onTheTable(turns: readonly TurnView[]): TurnView | undefined {
  return turns.findLast(({ deliverable }) => deliverable !== undefined);
}

/** Texts that this side can sign. */
export interface Signable {
  /** What this is about now: what the other side accepted, signed or put forward last. */
  now: string | undefined;
  /** An earlier text, which the other side signed: signed here too, it is fixed at once. */
  earlier: string | undefined;
}

/** What this side can sign, by hash. Only texts of this negotiation, and not what it has signed already. */
export function signable(view: SessionView, turns: readonly TurnView[]): Signable {
  if (view.status !== "live") return { now: undefined, earlier: undefined };
  const last = turns.at(-1);
  const table = onTheTable(turns);
  const accepted = last && acceptedBy(last).sha256;
  const isTheirs = table?.by === "peer" || table?.deliverable?.sha256 === view.signedByPeer;
  const open = (sha256: string | undefined) => {
    const isKnown = turns.some(({ deliverable }) => deliverable?.sha256 === sha256);
    return isKnown && sha256 !== view.signedByMe ? sha256 : undefined;
  };
  const now = open(accepted) ?? (isTheirs ? open(table?.deliverable?.sha256) : undefined);
  const earlier = open(view.signedByPeer);
  return { now, earlier: earlier === now ? undefined : earlier };
}

/** What a turn that accepts says: which text, and words to it. The body as it is where it is another sort of turn. */
export function acceptedBy({ msgType, body }: TurnView): { sha256?: string; note: string } {
  if (msgType !== "accept") return { note: body };
  try {
    const { artifact_hash: sha256, note, ...rest } = JSON.parse(body) as Record<string, unknown>;
    const isPlain = typeof sha256 === "string" && typeof note === "string";
    const isAll = Object.keys(rest).every((name) => name === "section_id");
    if (isPlain && isAll) return { sha256, note };
    // There is more in it than the page shows: then the human sees it as it came.
    return typeof sha256 === "string" ? { sha256, note: body } : { note: body };
  } catch {
    return { note: body };
  }
}
