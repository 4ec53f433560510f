import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** How long a step stays while it plays. */
const STEP_MS = 2_400;

interface PlayerProps {
  /** The step that is shown, from 1. */
  step: Signal<number>;
  steps: number;
  children: ComponentChildren;
}

/** Goes through the steps: by buttons, by a slider, by the arrow keys, or by itself if asked to. */
export function Player({ step, steps, children }: PlayerProps) {
  const w = spoken(room);
  const id = useId();
  const isPlaying = useSignal(false);
  const go = (to: number) => {
    step.value = Math.min(Math.max(to, 1), steps);
  };
  const stop = () => {
    isPlaying.value = false;
  };
  const isAtEnd = step.value >= steps;

  useEffect(() => {
    if (!isPlaying.value) return;
    if (step.value >= steps) {
      isPlaying.value = false;
      return;
    }
    const timer = setTimeout(() => go(step.value + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying.value, step.value, steps]);

  const play = () => {
    if (isAtEnd) go(1);
    isPlaying.value = !isPlaying.value;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = TARGETS[event.key]?.(step.value, steps);
    // A slider moves by itself.
    if (
      to === undefined ||
      event.target instanceof HTMLInputElement ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey
    ) {
      return;
    }
    event.preventDefault();
    stop();
    go(to);
  };

  return (
    <section class="player" aria-labelledby={`${id}-title`} aria-describedby={`${id}-keys`} onKeyDown={onKeyDown}>
      <h2 id={`${id}-title`} class="unseen">
        {w.player}
      </h2>
      <div class="controls">
        <Control
          text={w.back}
          isOff={step.value <= 1}
          onClick={() => {
            stop();
            go(step.value - 1);
          }}
        />
        <Control text={isPlaying.value ? w.pause : isAtEnd ? w.again : w.play} onClick={play} />
        <Control
          text={w.next}
          isMain
          isOff={isAtEnd}
          onClick={() => {
            stop();
            go(step.value + 1);
          }}
        />
        <label class="position" for={`${id}-at`}>
          {w.of(step.value, steps)}
        </label>
        <input
          id={`${id}-at`}
          type="range"
          min={1}
          max={steps}
          value={step.value}
          aria-valuetext={w.of(step.value, steps)}
          onInput={(event) => {
            stop();
            go(Number(event.currentTarget.value));
          }}
        />
      </div>
      <p class="hint keys" id={`${id}-keys`}>
        {w.keys}
      </p>
      {children}
    </section>
  );
}

const TARGETS: { readonly [key: string]: (step: number, steps: number) => number } = {
  ArrowLeft: (step) => step - 1,
  ArrowRight: (step) => step + 1,
  Home: () => 1,
  End: (_, steps) => steps,
};

/** Stays in the order of the keyboard when it is off: nobody loses the place by pressing it. */
function Control({
  text,
  isOff = false,
  isMain = false,
  onClick,
}: {
  text: string;
  isOff?: boolean;
  isMain?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={isMain ? "button primary" : "button"}
      aria-disabled={isOff || undefined}
      onClick={() => {
        if (!isOff) onClick();
      }}
    >
      {text}
    </button>
  );
}
