import { spoken } from "../../words/language.ts";
import "./scene.css";
import { room } from "./words.ts";

/** You, the relay that sees sealed envelopes only, and the other side. */
export function Scene() {
  const w = spoken(room);
  return (
    <section class="scene" aria-label={w.scene}>
      <div class="station own">
        <Screen />
        <h2>{w.you}</h2>
        <p>{w.youSee}</p>
      </div>
      <Wire />
      <div class="station relay">
        <Relay />
        <h2>{w.relay}</h2>
        <p>{w.relaySees}</p>
      </div>
      <Wire />
      <div class="station other">
        <Screen />
        <h2>{w.other}</h2>
        <p>{w.otherSees}</p>
      </div>
    </section>
  );
}

/** One end: the text in the clear, and both signatures. */
function Screen() {
  return (
    <svg class="glyph" viewBox="0 0 160 120" aria-hidden="true">
      <rect class="body" x="22" y="10" width="116" height="84" rx="9" />
      <path class="foot" d="M58 110h44M80 94v16" />
      <rect class="sheet" x="48" y="22" width="64" height="62" rx="4" />
      <path class="text" d="M58 35h44M58 45h44M58 55h28" />
      <path class="sign mine" d="M57 73c4-8 7-8 7 0 3-6 5-6 7-1 2 2 4 1 6-1" />
      <path class="sign theirs" d="M84 72c3-7 7-6 5 0 4-6 7-4 7 0 2 2 5 1 7-2" />
    </svg>
  );
}

/** The middle: a rack of sealed envelopes. */
function Relay() {
  return (
    <svg class="glyph" viewBox="0 0 160 120" aria-hidden="true">
      <rect class="body" x="34" y="10" width="92" height="100" rx="9" />
      <Envelope x={56} y={20} />
      <Envelope x={56} y={49} />
      <Envelope x={56} y={78} />
    </svg>
  );
}

/** The way between two of them, and what travels on it. */
function Wire() {
  return (
    <div class="wire">
      <svg viewBox="0 0 48 30" aria-hidden="true">
        <Envelope x={0} y={3} />
      </svg>
    </div>
  );
}

function Envelope({ x, y }: { x: number; y: number }) {
  return (
    <g class="envelope" transform={`translate(${x} ${y})`}>
      <rect x="1" y="1" width="46" height="23" rx="3" />
      <path d="m2 3 22 12L46 3" />
      <circle cx="24" cy="15" r="4.5" />
    </g>
  );
}
