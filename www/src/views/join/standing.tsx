import type { PairingView } from "agentpair";
import "./standing.css";
import { standing, troubleOf } from "./pairing-words.ts";

/** How a pairing stands: read out when it changes. */
export function Standing({ pairing }: { pairing: PairingView }) {
  const trouble = troubleOf(pairing);
  return (
    <div role="status">
      <p class="pairing-standing">{standing(pairing)}</p>
      {trouble && <p class="error">{trouble}</p>}
    </div>
  );
}
