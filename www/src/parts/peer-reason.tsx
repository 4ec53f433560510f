import { reasonInWords } from "../words/errors.ts";
import { PeerText } from "./peer-text.tsx";

/** Why the other side ended something, as it says: a code of the protocol is told in words of the language. */
export function PeerReason({ by, reason }: { by: string; reason: string }) {
  return <PeerText by={by} text={reasonInWords(reason) ?? reason} />;
}
