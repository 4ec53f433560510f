import type { BondView } from "agentpair";
import { printable } from "../printable.ts";

/** Longest name that is typed, in characters. */
export const LONGEST_NAME = 64;

/** The owner's name for the other side: it may be what the other side calls itself. */
export function nameOf({ petname }: BondView): string {
  return printable(petname);
}
