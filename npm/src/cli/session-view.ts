import { printable } from "../host/approval-text.js";
import { nameWords, words } from "../mcp/frame.js";
import { sessionResult } from "../mcp/session.js";
import type { Described, TurnView } from "../wasm/agentpair.js";
import type { Found } from "./find-session.js";
import { linesBy, table, threadLines, threadName } from "./shown.js";
import { ago, iso, until } from "./times.js";

/** A session for JSON, as the tool `session_status` gives it. */
export function sessionJson({ session, bond }: Found): object {
  return { ...sessionResult(session, bond), suggested_next: session.suggestedNext };
}

/** The terms of a session for JSON; whoever opened it wrote them. */
export function termsJson({ session, bond }: Found): object {
  const { goal, acceptance, budget, mandate } = session.terms;
  const peer = session.openedBy === "peer" ? bond.petname : undefined;
  const own = (text: string) => words(peer, text, Number.POSITIVE_INFINITY);
  return {
    goal: own(goal),
    acceptance: acceptance.map(({ id, test, desc }) => ({ id: own(id), test, desc: own(desc) })),
    budget: { max_turns: session.maxTurns, deadline: budget.deadline },
    mandate: Object.fromEntries(Object.entries(mandate).map(([name, list = []]) => [name, list.map(own)])),
  };
}

/** A turn for JSON. */
export function turnJson({ n, by, msgType, body, deliverable, at }: TurnView, petname: string): object {
  const peer = by === "peer" ? petname : undefined;
  const author = (text: string) => words(peer, text, Number.POSITIVE_INFINITY);
  return {
    n,
    by,
    at: iso(at),
    type: nameWords(petname, msgType),
    body: author(body),
    deliverable: deliverable && describedJson(deliverable, peer),
  };
}

function describedJson({ kind, name, media_type, sha256, bytes }: Described, peer: string | undefined): object {
  const author = (text: string) => words(peer, text, Number.POSITIVE_INFINITY);
  return { kind, name: author(name), media_type: author(media_type), artifact_hash: sha256, bytes };
}

/** All sessions, for a terminal. */
export function listLines(all: readonly Found[]): string[] {
  const rows = all.map(({ session, bond }) => [
    threadName(session.thread),
    printable(bond.petname),
    session.status,
    `${session.turns}/${session.maxTurns}`,
    session.suggestedNext,
  ]);
  return table([["THREAD", "PEER", "STATUS", "TURNS", "NEXT"], ...rows]);
}

/** One session with its terms and turns, for a terminal. */
export function sessionLines(found: Found, turns: readonly TurnView[]): string[] {
  const { session, bond } = found;
  const { terms, openedBy, status, reason, words: why } = session;
  const deadline = Date.parse(terms.budget.deadline);
  return [
    `thread ${threadName(session.thread)} with ${printable(bond.petname)}`,
    ...threadLines(session.thread),
    ...table([
      ["  opened by", openedBy === "me" ? "you" : "the peer"],
      ["  status", reason === undefined ? status : `${status} (${reason})`],
      ["  turns", `${session.turns} of ${session.maxTurns}`],
      ["  deadline", Number.isNaN(deadline) ? "unknown" : `${iso(deadline)} (${until(deadline)})`],
      ["  signed", both(session.signedByMe !== undefined, session.signedByPeer !== undefined)],
      ["  ratified", both(session.ratifiedByMe !== undefined, session.ratifiedByPeer !== undefined)],
      ["  next", session.suggestedNext],
    ]),
    ...(session.pending === undefined ? [] : [`  it waits for you: agentpair approve ${session.pending}`]),
    ...(why === undefined ? [] : linesBy("peer", why)),
    "  goal:",
    ...linesBy(openedBy, terms.goal),
    ...terms.acceptance.flatMap(({ id, desc }) => ["  criterion:", ...linesBy(openedBy, `${id}: ${desc}`)]),
    ...turns.flatMap(turnLines),
  ];
}

function turnLines({ n, by, msgType, body, deliverable, at }: TurnView): string[] {
  const head = `  turn ${n}, ${by === "me" ? "you" : "the peer"}, ${ago(at)}:`;
  const lines = [head, ...linesBy(by, msgType), ...linesBy(by, body)];
  if (!deliverable) return lines;
  const { kind, name, media_type, sha256, bytes } = deliverable;
  return [...lines, `  deliverable ${sha256} (${kind}, ${bytes} bytes)`, ...linesBy(by, `${name}, ${media_type}`)];
}

function both(me: boolean, peer: boolean): string {
  if (me && peer) return "by both";
  return me ? "by you" : peer ? "by the peer" : "by nobody";
}
