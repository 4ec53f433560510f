import { useSignal } from "@preact/signals";
import { LinkButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { addressOf } from "../../route.ts";
import { spoken } from "../../words/language.ts";
import { ReceiptSummary } from "../receipt/receipt.tsx";
import { OtherTranscript } from "./other.tsx";
import { Player } from "./player.tsx";
import "./replay.css";
import { Stage } from "./stage.tsx";
import recorded from "./transcript.json";
import { checkTranscript, type Transcript } from "./transcript.ts";
import { room } from "./words.ts";

const OURS = checkTranscript(recorded);

/** The demo, step by step. */
export function Replay() {
  const w = spoken(room);
  const transcript = useSignal<Transcript>(OURS);
  const step = useSignal(1);
  const { lines } = transcript.value;
  const isOurs = transcript.value === OURS;
  const isAtEnd = step.value === lines.length;
  const show = (other: Transcript) => {
    transcript.value = other;
    step.value = 1;
  };
  return (
    <div class="replay">
      <h1>{w.title}</h1>
      <p class="lead">{isOurs ? w.lead : w.leadOther}</p>
      <Player step={step} steps={lines.length}>
        <Stage transcript={transcript.value} step={step.value} isOurs={isOurs} />
      </Player>
      {isAtEnd && (
        <>
          <Outcome transcript={transcript.value} />
          <Card title={w.nextTitle}>
            <LinkButton to={addressOf({ view: "invite" })} kind="primary">
              {w.invite}
            </LinkButton>
          </Card>
        </>
      )}
      <OtherTranscript onOpen={show} {...(isOurs ? {} : { onClose: () => show(OURS) })} />
    </div>
  );
}

/** The agreement, verified here: what the transcript says of it is only said. */
function Outcome({ transcript }: { transcript: Transcript }) {
  const w = spoken(room);
  const { agreement } = JSON.parse(transcript.receipt) as { agreement?: unknown };
  return (
    <Card title={w.outcome}>
      {agreement !== transcript.agreement && (
        <p class="trouble" role="alert">
          {w.differs}
        </p>
      )}
      <ReceiptSummary receipt={transcript.receipt} />
    </Card>
  );
}
