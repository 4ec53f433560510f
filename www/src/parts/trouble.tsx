import { inWords } from "../words/errors.ts";

/** What went wrong, and what to do about it. */
export function Trouble({ error }: { error: unknown }) {
  if (error === undefined) return null;
  return (
    <div class="trouble" role="alert">
      <p>{inWords(error)}</p>
    </div>
  );
}
