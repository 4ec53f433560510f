import { useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    title: "What must be true of the text (optional)",
    hint: "People judge this: the page checks none of it.",
    one: (n: number) => `Condition ${n}`,
    example: "Such as: one number with a currency",
    more: "Add a condition",
    less: (n: number) => `Remove condition ${n}`,
  },
  {
    title: "Yang harus terpenuhi dalam teksnya (boleh kosong)",
    hint: "Manusia yang menilainya: halaman ini tidak memeriksanya.",
    one: (n: number) => `Syarat ${n}`,
    example: "Misalnya: satu angka dengan mata uang",
    more: "Tambah syarat",
    less: (n: number) => `Hapus syarat ${n}`,
  },
);

/** As many as the terms may have. */
const MOST = 64;

/** Conditions, one field each. */
export function Criteria({ list, onChange }: { list: readonly string[]; onChange: (list: string[]) => void }) {
  const w = spoken(room);
  const fields = useRef<HTMLFieldSetElement>(null);
  const shown = list.length === 0 ? [""] : list;
  const add = () => {
    onChange([...shown, ""]);
    // The new one is where to type.
    requestAnimationFrame(() => [...(fields.current?.querySelectorAll("input") ?? [])].at(-1)?.focus());
  };
  return (
    <fieldset ref={fields} class="criteria">
      <legend>{w.title}</legend>
      <p class="hint">{w.hint}</p>
      {shown.map((text, i) => (
        <div class="criterion" key={i}>
          <input
            aria-label={w.one(i + 1)}
            placeholder={i === 0 ? w.example : undefined}
            autocomplete="off"
            maxLength={1_000}
            value={text}
            onInput={(event) => onChange(shown.with(i, event.currentTarget.value))}
          />
          {shown.length > 1 && (
            <button
              type="button"
              class="button quiet"
              aria-label={w.less(i + 1)}
              onClick={() => onChange(shown.toSpliced(i, 1))}
            >
              ✕
            </button>
          )}
        </div>
      ))}
      {shown.length < MOST && (
        <Button kind="quiet" onClick={add}>
          {w.more}
        </Button>
      )}
    </fieldset>
  );
}
