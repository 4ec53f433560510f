import type { BondView } from "agentpair";
import { useEffect, useRef } from "preact/hooks";
import { openHost } from "../../live.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { nameOf } from "../../parts/name.ts";
import { say } from "../../parts/say.tsx";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** The numbers differ: said loudly, with the way out. */
export function Alarm({ bond, onAgain }: { bond: BondView; onAgain: () => void }) {
  const w = spoken(room);
  const alarm = useRef<HTMLDivElement>(null);
  // The button that found it out is gone.
  useEffect(() => alarm.current?.focus(), []);
  const revoke = async () => {
    const host = await openHost();
    // The other side's page has words for it, in its own language.
    await host.revoke(bond.id, "safety_number_differs");
    say(w.revoked);
  };
  return (
    <>
      <div ref={alarm} class="safety-alarm" role="alert" tabIndex={-1}>
        <h3>{w.alarm}</h3>
        <p>{w.alarmText}</p>
      </div>
      <div class="buttons">
        <Confirm ask={w.revoke} title={w.revokeSure(nameOf(bond))} doIt={w.revokeNow} leave={w.back} onConfirm={revoke}>
          <p>{w.revokeText}</p>
        </Confirm>
        <Button onClick={onAgain}>{w.again}</Button>
      </div>
    </>
  );
}
