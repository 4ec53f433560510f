import type { BondView, PendingItem } from "agentpair";

/** Whom an item is about, as the engine names them in its own line. */
export interface Named {
  /** The owner's name for them; nothing for somebody new who was given none. */
  name: string | undefined;
  /** The last characters of their key. */
  tail: string | undefined;
}

/** The name that the engine gives to somebody new. */
const STRANGER = "the one who gave you the code";

/** Reads the engine's line about the peer. */
export function namedIn(item: Pick<PendingItem, "shown">): Named {
  const line = item.shown.find(({ label, from_peer }) => label === "peer" && !from_peer)?.text ?? "";
  const [, name = line, tail] = /^(.*), key ending in (\S+)$/s.exec(line) ?? [];
  return { name: name === STRANGER || name === "" ? undefined : name, tail };
}

/** The bond of an item, once there is one. */
export function bondOf(item: Pick<PendingItem, "subject">, bonds: readonly BondView[]): BondView | undefined {
  const { subject } = item;
  return subject.kind === "join" ? undefined : bonds.find(({ id }) => id === subject.bond);
}

/** Whether an item is about a bond, and about a thread of it where one is named. */
export function isAbout(item: Pick<PendingItem, "subject">, bond?: string, thread?: string): boolean {
  const { subject } = item;
  if (bond === undefined) return true;
  if (subject.kind === "join" || subject.bond !== bond) return false;
  return thread === undefined || ("thread" in subject && subject.thread === thread);
}
