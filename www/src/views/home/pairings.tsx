import type { PairingView } from "agentpair";
import { live } from "../../live.ts";
import { Card } from "../../parts/card.tsx";
import { addressOf } from "../../route.ts";
import { moment, spoken, words } from "../../words/language.ts";

const room = words(
  {
    title: "On the way",
    invite: "An invite of yours",
    join: "A code that you used",
    until: (at: string) => `open until ${at}`,
  },
  {
    title: "Sedang berjalan",
    invite: "Undangan Anda",
    join: "Kode yang Anda pakai",
    until: (at: string) => `terbuka sampai ${at}`,
  },
);

/** Invites and codes that did not become a bond yet. */
export function Pairings() {
  const w = spoken(room);
  const open = (live.value?.pairings ?? []).filter(({ outcome }) => outcome === undefined);
  if (open.length === 0) return null;
  return (
    <Card title={w.title}>
      <ul class="link-list">
        {open.map((pairing) => (
          <li key={pairing.id}>
            <Link pairing={pairing} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Link({ pairing: { role, expiresAt } }: { pairing: PairingView }) {
  const w = spoken(room);
  const isInvite = role === "initiator";
  return (
    <a class="bond-link" href={addressOf({ view: isInvite ? "invite" : "join" })}>
      <b>{isInvite ? w.invite : w.join}</b>
      <span class="hint">{w.until(moment(expiresAt))}</span>
    </a>
  );
}
