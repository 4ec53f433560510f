import type { PairingView } from "agentpair";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Countdown } from "../../parts/countdown.tsx";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken } from "../../words/language.ts";
import { atHand } from "../waiting/at-hand.ts";
import { WaitingHere } from "../waiting/waiting.tsx";
import { Standing } from "./standing.tsx";
import { room } from "./words.ts";

/** A code that is being used: how it stands, and the question to the human when it comes. */
export function Joining({ pairing, onAgain }: { pairing: PairingView; onAgain: () => void }) {
  const w = spoken(room);
  const act = useAct();
  const isOver = pairing.outcome !== undefined;
  const question = atHand.value.find(({ subject }) => subject.kind === "join" && subject.pairing === pairing.id);
  const giveUp = () =>
    act.run(async () => {
      await (await openHost()).cancel(pairing.id);
      say(w.gaveUp);
    });
  return (
    <>
      <h1>{w.pairing}</h1>
      <section class="card">
        <Standing pairing={pairing} />
        {!isOver && <Countdown until={pairing.expiresAt} label={w.left} />}
        {!isOver && <p class="hint">{w.open}</p>}
        <Trouble error={act.error} />
        <div class="buttons">
          {isOver ? (
            <Button kind="primary" onClick={onAgain}>
              {w.again}
            </Button>
          ) : (
            <Button busy={act.isBusy} onClick={() => void giveUp()}>
              {w.giveUp}
            </Button>
          )}
        </div>
      </section>
      {question && <WaitingHere item={question} heading="h2" />}
    </>
  );
}
