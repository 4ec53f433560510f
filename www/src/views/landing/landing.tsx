import { LinkButton } from "../../parts/button.tsx";
import { addressOf } from "../../route.ts";
import { spoken } from "../../words/language.ts";
import "./landing.css";
import { Scene } from "./scene.tsx";
import { room } from "./words.ts";

/** What a newcomer sees: it stands before anything that encrypts has loaded. */
export function Landing() {
  const w = spoken(room);
  return (
    <div class="landing">
      <div class="hero">
        <h1>{w.title}</h1>
        <p class="lead">{w.lead}</p>
        <div class="buttons">
          <LinkButton to={addressOf({ view: "invite" })} kind="primary">
            {w.invite}
          </LinkButton>
          <LinkButton to={addressOf({ view: "join" })}>{w.join}</LinkButton>
          <LinkButton to={addressOf({ view: "replay" })} kind="quiet">
            {w.replay}
          </LinkButton>
        </div>
        <p class="hint">{w.plain}</p>
      </div>
      <Scene />
      <section class="how" aria-labelledby="how">
        <h2 id="how">{w.how}</h2>
        <ol>
          {w.steps.map(([name, text]) => (
            <li key={name}>
              <h3>{name}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </section>
      <section class="whom">
        <h2>{w.whom}</h2>
        <p>{w.whomText}</p>
      </section>
      <nav class="more" aria-label={w.more}>
        <a href={addressOf({ view: "help" })}>{w.help}</a>
        <a href={addressOf({ view: "receipt" })}>{w.receipt}</a>
      </nav>
    </div>
  );
}
