import type { PairingView } from "agentpair";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Countdown } from "../../parts/countdown.tsx";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken } from "../../words/language.ts";
import { Standing } from "../join/standing.tsx";
import { HandOver } from "./hand-over.tsx";
import { isOfThisMachine } from "./invite-link.ts";
import { room } from "./words.ts";

/** An invite with its code, as long as it is open, and how it stands. */
export function OpenInvite({ pairing }: { pairing: PairingView }) {
  const w = spoken(room);
  const act = useAct();
  const { id, code, outcome, step, form } = pairing;
  const withdraw = () =>
    act.run(async () => {
      await (await openHost()).cancel(id);
      say(w.withdrawn);
    });
  const isWaiting = outcome === undefined && code !== undefined;
  const isLocal = isOfThisMachine(location.href) || isOfThisMachine(pairing.relay);
  return (
    <>
      <section class="card invite">
        {isWaiting && <HandOver code={code} form={form} />}
        {isWaiting && <Countdown until={pairing.expiresAt} label={w.left} />}
        <Standing pairing={pairing} />
        {isWaiting && isLocal && <p class="hint">{w.local}</p>}
        {outcome === undefined && <p class="hint">{w.open}</p>}
        <Trouble error={act.error} />
        {outcome === undefined && step !== "withdrawing" && (
          <div class="buttons">
            <Button kind="danger" busy={act.isBusy} onClick={() => void withdraw()}>
              {w.withdraw}
            </Button>
          </div>
        )}
      </section>
      {isWaiting && (
        <Card title={w.next}>
          <ol class="invite-next">
            {w.steps.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ol>
        </Card>
      )}
    </>
  );
}
