import { signal } from "@preact/signals";

const said = signal("");
let saidAt = 0;
/** What was said later than that before somebody went on belongs to where they went, in milliseconds. */
const STILL_NEW_MS = 1_000;

/** Says something to whoever listens: a status line that is seen, and read out. */
export function say(text: string): void {
  said.value = text;
  saidAt = Date.now();
}

/** Somebody went on to another view: what was said before is no news there. */
export function hush(): void {
  if (Date.now() - saidAt > STILL_NEW_MS) said.value = "";
}

/** Where it is said. */
export function Said() {
  return (
    <p class="said" role="status">
      {said.value}
    </p>
  );
}
