import type { Act } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

interface SafetyNumberProps {
  number: readonly string[] | undefined;
  act: Act;
  onRetry: () => void;
}

/** Five groups of six digits, large; meanwhile, that they are being computed. */
export function SafetyNumber({ number, act, onRetry }: SafetyNumberProps) {
  const w = spoken(room);
  const isUnavailable = (act.error as { code?: string } | undefined)?.code === "safety_unavailable";
  return (
    <>
      <p role="status">{act.isBusy && w.computing}</p>
      {isUnavailable ? <p class="trouble">{w.unavailable}</p> : <Trouble error={act.error} />}
      {act.error !== undefined && <Button onClick={onRetry}>{w.retry}</Button>}
      {number && (
        <>
          <p>{w.number}</p>
          <ol class="safety-number">
            {number.map((group, n) => (
              // Read out digit by digit: as a number nobody could compare it.
              <li key={n}>
                <span role="img" aria-label={w.group(n + 1, [...group].join(" "))}>
                  {group}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}
