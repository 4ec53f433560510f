import { useEffect, useRef } from "preact/hooks";
import { printable } from "../../printable.ts";
import { language, spoken } from "../../words/language.ts";
import { inIndonesian, wayOf } from "./phrases.ts";
import "./stage.css";
import { type Line, type Speaker, speakerOf, type Transcript } from "./transcript.ts";
import { room } from "./words.ts";

interface StageProps {
  transcript: Transcript;
  /** Steps up to this one are shown. */
  step: number;
  isOurs: boolean;
}

/** Both sides with the relay between them, and what happened until now, each row where it happened. */
export function Stage({ transcript, step, isOurs }: StageProps) {
  const w = spoken(room);
  const [first, second] = transcript.sides.map(printable);
  const current = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The first step is where the view begins: nobody is taken there.
    if (step > 1) current.current?.scrollIntoView({ block: "nearest" });
  }, [step]);
  return (
    <div class="stage" aria-live="polite">
      <div class="heads" aria-hidden="true">
        <p class="head first">{first}</p>
        <p class="head between">
          <strong>{w.relay}</strong> {w.relaySees}
        </p>
        <p class="head second">{second}</p>
      </div>
      <ol>
        {transcript.lines.slice(0, step).map((line, n) => (
          <Row
            key={`${n} ${line.ms}`}
            line={line}
            speaker={speakerOf(line, transcript)}
            isOurs={isOurs}
            {...(n === step - 1 && { isCurrent: true, at: current })}
          />
        ))}
      </ol>
    </div>
  );
}

interface RowProps {
  line: Line;
  speaker: Speaker;
  isOurs: boolean;
  isCurrent?: boolean;
  at?: { current: HTMLLIElement | null };
}

const SIDES = { 0: "first", 1: "second", relay: "between" } as const;

function Row({ line, speaker, isOurs, isCurrent = false, at }: RowProps) {
  const w = spoken(room);
  const side = SIDES[speaker.side];
  const name = printable(speaker.name);
  const who = speaker.side === "relay" ? w.keeper : speaker.isHuman ? w.human(name) : w.assistant(name);
  const way = speaker.side === "relay" ? undefined : wayOf(line.what);
  const seconds = (line.ms / 1_000).toLocaleString(language.value, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  return (
    <li
      class={`row ${side}${isCurrent ? " current" : ""}`}
      {...(isCurrent && { "aria-current": "step" as const })}
      {...(at && { ref: at })}
    >
      <div class={`said-by ${side}`}>
        <p class="who">
          <Figure isHuman={speaker.isHuman} isRelay={speaker.side === "relay"} /> {who}{" "}
          <span class="when">{w.seconds(seconds)}</span>
        </p>
        <p class="what">
          <Told text={line.what} isOurs={isOurs} />
        </p>
        {line.why && (
          <p class="why">
            <Told text={line.why} isOurs={isOurs} />
          </p>
        )}
      </div>
      {way && (
        <p class={`way ${way}`}>
          <Way way={way} />
          <span>{w[way]}</span>
        </p>
      )}
    </li>
  );
}

/** A phrase in the language of the page, as far as it is one of ours. */
function Told({ text, isOurs }: { text: string; isOurs: boolean }) {
  const isEnglish = language.value === "en";
  const own = isEnglish || !isOurs ? undefined : inIndonesian(text);
  const shown = printable(own ?? text);
  return own === undefined && !isEnglish ? <span lang="en">{shown}</span> : shown;
}

function Figure({ isHuman, isRelay }: { isHuman: boolean; isRelay: boolean }) {
  return (
    <svg class="figure" viewBox="0 0 24 24" aria-hidden="true">
      {isRelay ? (
        <path d="M3 6h18v12H3zM3 6l9 7 9-7" />
      ) : isHuman ? (
        <>
          <circle cx="12" cy="8" r="4" />
          <path d="M4 21c0-5 4-7 8-7s8 2 8 7" />
        </>
      ) : (
        <>
          <rect x="4" y="7" width="16" height="12" rx="3" />
          <path d="M12 7V3M9 12v2M15 12v2" />
        </>
      )}
    </svg>
  );
}

function Way({ way }: { way: "sealed" | "voice" }) {
  return (
    <svg viewBox="0 0 48 26" aria-hidden="true">
      {way === "sealed" ? (
        <>
          <rect x="1" y="1" width="46" height="24" rx="3" />
          <path d="m2 3 22 12L46 3" />
          <circle cx="24" cy="15" r="4.5" />
        </>
      ) : (
        <path d="M8 13h2M15 7v12M22 3v20M29 8v10M36 5v16M42 12v2" />
      )}
    </svg>
  );
}
