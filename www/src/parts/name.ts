import type { BondView } from "agentpair";
import { printable } from "../printable.ts";

/** The owner's name for the other side: it may be what the other side calls itself. */
export function nameOf({ petname }: BondView): string {
  return printable(petname);
}
