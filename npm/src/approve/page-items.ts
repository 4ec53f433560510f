import { printable } from "../host/approval-text.js";
import type { Host } from "../host/host.js";

/** A line of what is shown about an item. */
export interface PageLine {
  label: string;
  /** Nothing in it can move, hide or reorder text. */
  text: string;
  fromPeer: boolean;
}

/** An item as the page gets it: no code, and no path. */
export interface PageItem {
  id: string;
  /** `join`, `open`, `ratify`, `extend`, `verify` or `continue`. */
  kind: string;
  question: string;
  lines: PageLine[];
  /** SHA-256 of all that is shown, lowercase hex. */
  digest: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** What the page shows. */
export interface PageState {
  items: PageItem[];
  /** Whether approvals need a PIN. */
  pin: boolean;
}

/** All that waits for the human now. */
export async function pageState(host: Host): Promise<PageState> {
  const items = (await host.pendings()).map(({ id, subject, question, shown, digest, expiresAt }) => ({
    id,
    kind: subject.kind,
    question: printable(question),
    lines: shown.map(({ label, text, from_peer: fromPeer }) => ({
      label: printable(label),
      text: printable(text),
      fromPeer,
    })),
    digest,
    expiresAt,
  }));
  return { items, pin: (await host.me()).approver !== undefined };
}
