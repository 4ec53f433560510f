import type { PairingView } from "agentpair";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { moment, spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** Open invites besides the one that is shown. */
export function OtherInvites({
  invites,
  onShow,
}: {
  invites: readonly PairingView[];
  onShow: (pairing: string) => void;
}) {
  const w = spoken(room);
  if (invites.length === 0) return null;
  return (
    <Card title={w.others}>
      <ul class="invite-others">
        {invites.map(({ id, form, expiresAt }) => (
          <li key={id}>
            <span id={`other-${id}`}>{w.other(w.forms[form][0] ?? form, moment(expiresAt))}</span>
            <Button about={`other-${id}`} onClick={() => onShow(id)}>
              {w.show}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
