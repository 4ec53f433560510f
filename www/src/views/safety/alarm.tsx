import { useSignal } from "@preact/signals";
import type { BondView } from "agentpair";
import { useEffect, useRef } from "preact/hooks";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { printable } from "../../printable.ts";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** The numbers differ: said loudly, with the way out. */
export function Alarm({ bond, onAgain }: { bond: BondView; onAgain: () => void }) {
  const w = spoken(room);
  const isSure = useSignal(false);
  const act = useAct();
  const alarm = useRef<HTMLDivElement>(null);
  // The button that found it out is gone.
  useEffect(() => alarm.current?.focus(), []);
  const close = () => {
    isSure.value = false;
  };
  const revoke = async () => {
    const isDone = await act.run(async () => (await openHost()).revoke(bond.id, "safety_number_differs"));
    if (!isDone) return;
    close();
    say(w.revoked);
  };
  return (
    <>
      <div ref={alarm} class="safety-alarm" role="alert" tabIndex={-1}>
        <h3>{w.alarm}</h3>
        <p>{w.alarmText}</p>
      </div>
      <div class="buttons">
        <Button kind="danger" onClick={() => (isSure.value = true)}>
          {w.revoke}
        </Button>
        <Button onClick={onAgain}>{w.again}</Button>
      </div>
      {isSure.value && (
        <Dialog title={w.revokeSure(printable(bond.petname))} onClose={close}>
          <p>{w.revokeText}</p>
          <Trouble error={act.error} />
          <div class="buttons">
            <Button onClick={close}>{w.back}</Button>
            <Button kind="danger" busy={act.isBusy} onClick={() => void revoke()}>
              {w.revokeNow}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
