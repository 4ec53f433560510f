import { LinkButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { addressOf } from "../../route.ts";
import { spoken } from "../../words/language.ts";
import "./help.css";
import { room, type Sight } from "./words.ts";

/** What is seen by whom, what is kept, what is proved, and where that ends. */
export function Help() {
  const w = spoken(room);
  return (
    <div class="help">
      <h1>{w.title}</h1>
      <p class="lead">{w.lead}</p>
      <Card title={w.table}>
        <table>
          <thead>
            <tr>
              <th scope="col">{w.what}</th>
              <th scope="col">{w.relay}</th>
              <th scope="col">{w.other}</th>
            </tr>
          </thead>
          <tbody>
            {w.sights.map((sight) => (
              <Row key={sight[0]} sight={sight} />
            ))}
          </tbody>
        </table>
        <p class="hint">{w.tableNote}</p>
      </Card>
      <Card title={w.questions}>
        {w.answers.map(([question, ...paragraphs]) => (
          <details key={question}>
            <summary>{question}</summary>
            {paragraphs.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </details>
        ))}
      </Card>
      <div class="buttons">
        <LinkButton to={addressOf({ view: "replay" })}>{w.replay}</LinkButton>
        <LinkButton to={addressOf({ view: "receipt" })}>{w.check}</LinkButton>
      </div>
    </div>
  );
}

function Row({ sight: [what, relay, other] }: { sight: Sight }) {
  const w = spoken(room);
  return (
    <tr>
      <th scope="row">{what}</th>
      <Seen who={w.relay} is={relay} />
      <Seen who={w.other} is={other} />
    </tr>
  );
}

/** Named again where the head of the table is not in sight. */
function Seen({ who, is }: { who: string; is: boolean }) {
  const w = spoken(room);
  return (
    <td class={is ? "sees" : "blind"}>
      <span class="who">{who}</span>
      <Eye is={is} />
      {is ? w.yes : w.no}
    </td>
  );
}

function Eye({ is }: { is: boolean }) {
  return (
    <svg class="eye" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 12c3-5 6.3-7.5 10-7.5S19 7 22 12c-3 5-6.3 7.5-10 7.5S5 17 2 12z" />
      <circle cx="12" cy="12" r="3" />
      {!is && <path d="m4 20 16-16" />}
    </svg>
  );
}
