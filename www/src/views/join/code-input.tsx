import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { Field } from "../../parts/field.tsx";
import { spoken } from "../../words/language.ts";
import { completed, completions } from "./code-field.ts";
import { wordList } from "./word-list.ts";
import { room } from "./words.ts";

interface CodeInputProps {
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}

/** A field for a code: a combobox that completes the words of a spoken one. */
export function CodeInput({ value, error, onValue }: CodeInputProps) {
  const w = spoken(room);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useSignal<readonly string[]>([]);
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  useEffect(() => {
    // Without the list nothing is completed; whether it is a code is found out anyway.
    wordList().then(
      (words) => {
        list.value = words;
      },
      () => {},
    );
  }, []);
  const meant = isOpen.value ? completions(value, list.value) : [];
  const change = (text: string) => {
    isOpen.value = true;
    active.value = -1;
    onValue(text);
  };
  const choose = (word: string) => {
    change(completed(value, word));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (meant.length === 0 || event.isComposing) return;
    const { key } = event;
    if (key === "ArrowDown") active.value = (active.value + 1) % meant.length;
    else if (key === "ArrowUp") active.value = (Math.max(active.value, 0) - 1 + meant.length) % meant.length;
    else if (key === "Escape") isOpen.value = false;
    else if (key === "Enter" && meant[active.value] !== undefined) choose(meant[active.value] ?? "");
    else return;
    event.preventDefault();
  };
  const option = (n: number) => `${id}-option-${n}`;
  return (
    <div class="code-input">
      <Field label={w.field} hint={w.fieldHint} error={error}>
        {(ties) => (
          <input
            {...ties}
            ref={input}
            type="text"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={meant.length > 0}
            aria-controls={`${id}-list`}
            {...(active.value >= 0 && meant.length > 0 && { "aria-activedescendant": option(active.value) })}
            value={value}
            required
            autocomplete="off"
            autocapitalize="none"
            autocorrect="off"
            spellcheck={false}
            onInput={(event) => change(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            onBlur={() => {
              isOpen.value = false;
            }}
          />
        )}
      </Field>
      <div id={`${id}-list`} role="listbox" aria-label={w.completions} class="completions" hidden={meant.length === 0}>
        {meant.map((word, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
          <div
            key={word}
            id={option(n)}
            role="option"
            tabIndex={-1}
            aria-selected={n === active.value}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(word)}
          >
            {word}
          </div>
        ))}
      </div>
    </div>
  );
}
