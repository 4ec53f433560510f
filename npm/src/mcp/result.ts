import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { AgentPairError, type BaseHost, type PendingItem } from "../node.js";
import { petnames } from "./find.js";
import { nameWords } from "./frame.js";
import { jsonBytes, RESULT_BYTES, Room, WAITING_BYTES } from "./room.js";
import type { waiting } from "./schemas.js";
import type { State } from "./state.js";
import { iso } from "./time.js";

/** A question that waits for the human, as results show it. */
export type Waiting = z.input<typeof waiting>;

/** What waits for the human now; `more_waiting` others are not shown. */
export interface WaitingList {
  waiting: Waiting[];
  more_waiting?: number;
}

/** Most questions that a result shows. */
const MOST = 16;

/** What waits for the human. */
export async function waitingList(host: BaseHost): Promise<WaitingList> {
  const [pendings, nameOf] = [await host.pendings(), await petnames(host)];
  const room = new Room(WAITING_BYTES);
  const found: Waiting[] = [];
  // The most urgent first.
  for (const item of pendings.sort((one, other) => one.expiresAt - other.expiresAt)) {
    const shown = waitingItem(item, nameOf);
    if (found.length === MOST || (!room.take(shown) && found.length > 0)) break;
    found.push(shown);
  }
  const more = pendings.length - found.length;
  return more > 0 ? { waiting: found, more_waiting: more } : { waiting: found };
}

function waitingItem(
  { id, subject, question, expiresAt, place }: PendingItem,
  nameOf: (bond: string) => string,
): Waiting {
  const peer = "bond" in subject ? nameOf(subject.bond) : undefined;
  return {
    pending_id: id,
    kind: subject.kind,
    peer,
    thread: peer !== undefined && "thread" in subject ? nameWords(peer, subject.thread) : undefined,
    question,
    expires_at: iso(expiresAt),
    approval_path: place,
  };
}

/** How an agent brings a question to its human. It never gets the answer itself. */
function askYourHuman({ waiting, more_waiting: more = 0 }: WaitingList): string {
  const count = waiting.length + more;
  if (count === 0) return "";
  const subject = count === 1 ? "1 question waits" : `${count} questions wait`;
  return ` ${subject} for your human: ask them to run \`agentpair approve\`, or to look at approval_path themselves.`;
}

/** The result of a tool that did what it was asked. */
export async function success(state: State, { suggested_next: next, ...fields }: { suggested_next: string }) {
  const list = await waitingList(state.host);
  state.told = new Set(list.waiting.map(({ pending_id: id }) => id));
  return result({ ok: true, ...fields, ...list, suggested_next: `${next}${askYourHuman(list)}` });
}

/** The result of a tool that could not do what it was asked. */
export async function failed(state: State, error: AgentPairError): Promise<CallToolResult> {
  // After a panic, or when the host is closed, it cannot tell what waits.
  const list = await waitingList(state.host).catch(() => undefined);
  if (list) state.told = new Set(list.waiting.map(({ pending_id: id }) => id));
  const { code, blame, message } = error;
  const next = `${adviceOn(error)}${list ? askYourHuman(list) : ""}`;
  const told = { code, message: message.slice(0, 1_000), blame };
  return { ...result({ ok: false, error: told, ...list, suggested_next: next }), isError: true };
}

/** The same value twice: for programs, and as text for clients that know nothing else. */
function result(value: object): CallToolResult {
  const text = JSON.stringify(value);
  if (jsonBytes(value) > RESULT_BYTES) {
    throw new AgentPairError("invariant_broken", "bug", "the result is longer than a result may be");
  }
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) };
}

const ADVICE: { [code: string]: string } = {
  bond_not_found: "list_bonds shows the peers that there are.",
  session_not_found: "session_status shows the sessions that there are.",
  loop_brake: "Stop writing to this peer, and tell your human why.",
  not_decided: "Nothing was decided. Do not ask again by yourself: tell your human, and go on when they have decided.",
  panicked: "Tell your human: this server has to be restarted.",
  host_closed: "Tell your human: this server has to be restarted.",
  not_available: "Check the criterion yourself, and tell your human how.",
};

const ADVICE_BY_BLAME: { [blame: string]: string } = {
  caller: "Correct the call.",
  policy: "Do as the message says; list_bonds and session_status show where things stand.",
  peer: "Tell your human what the other side did.",
  relay: "Tell your human that the relay cannot be used; what was stored is tried again by itself.",
  bug: "Tell your human, and do not rely on this server until they have looked.",
};

function adviceOn({ code, blame }: AgentPairError): string {
  return ADVICE[code] ?? ADVICE_BY_BLAME[blame] ?? "Tell your human.";
}
