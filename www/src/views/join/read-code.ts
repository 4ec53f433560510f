import type { ParsedCode } from "agentpair";
import { loadCore, RELAYS } from "../../host.ts";
import { live } from "../../live.ts";
import { isSameRelay, type Typo, typoOf } from "./code-field.ts";

/** What a text says that shall be a code. `own`: it is an invite that was made here. */
export type Reading =
  | { is: "code"; code: ParsedCode }
  | { is: "own" }
  | { is: "foreign"; relay: string }
  | { is: "typo"; typo: Typo }
  | { is: "malformed" };

/** Reads a code, on this device. */
export async function readCode(text: string): Promise<Reading> {
  const { parseCode } = await loadCore();
  let code: ParsedCode;
  try {
    code = parseCode(text);
  } catch (error) {
    const typo = typoOf(error);
    return typo ? { is: "typo", typo } : { is: "malformed" };
  }
  const { name, relay } = code;
  if (relay !== undefined && !RELAYS.some((own) => isSameRelay(own, relay))) return { is: "foreign", relay };
  const made = live.value?.pairings.map((pairing) => pairing.code) ?? [];
  if (made.some((own) => own !== undefined && parseCode(own).name === name)) return { is: "own" };
  return { is: "code", code };
}
