import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field } from "../../parts/field.tsx";
import { spoken } from "../../words/language.ts";
import { RECEIPT_BYTES } from "./read.ts";
import "./receipt.css";
import { ReceiptSummary } from "./summary.tsx";
import { room } from "./words.ts";

export { ReceiptSummary };

/** Checks a receipt that somebody has: from a file, or pasted. */
export function ReceiptCheck() {
  const w = spoken(room);
  const receipt = useSignal<string | undefined>(undefined);
  const title = useRef<HTMLHeadingElement>(null);
  const show = (text: string | undefined) => {
    receipt.value = text;
    // What had the focus is gone: reading begins at the title.
    title.current?.focus();
    scrollTo(0, 0);
  };
  return (
    <>
      <h1 ref={title} tabIndex={-1}>
        {w.title}
      </h1>
      {receipt.value === undefined ? (
        <Take onText={show} />
      ) : (
        <Shown receipt={receipt.value} onBack={() => show(undefined)} />
      )}
    </>
  );
}

function Shown({ receipt, onBack }: { receipt: string; onBack: () => void }) {
  const w = spoken(room);
  return (
    <>
      <Card title={w.result}>
        <ReceiptSummary receipt={receipt} />
      </Card>
      <div class="buttons">
        <Button onClick={onBack}>{w.another}</Button>
      </div>
    </>
  );
}

function Take({ onText }: { onText: (text: string) => void }) {
  const w = spoken(room);
  const pasted = useSignal("");
  const wrong = useSignal<"empty" | "tooLarge" | "unread" | undefined>(undefined);
  const isOver = useSignal(false);
  const fileId = useId();

  const take = (text: string) => {
    if (text.trim() === "") wrong.value = "empty";
    else if (text.length > RECEIPT_BYTES) wrong.value = "tooLarge";
    else onText(text.trim());
  };
  const read = async (file: File | undefined) => {
    if (!file) return;
    wrong.value = undefined;
    if (file.size > RECEIPT_BYTES) {
      wrong.value = "tooLarge";
      return;
    }
    try {
      take(await file.text());
    } catch {
      wrong.value = "unread";
    }
  };

  return (
    <>
      <p class="lead">{w.lead}</p>
      <Card>
        <fieldset
          aria-labelledby={fileId}
          class={isOver.value ? "receipt-drop over" : "receipt-drop"}
          onDragOver={(event) => {
            event.preventDefault();
            isOver.value = true;
          }}
          onDragLeave={() => {
            isOver.value = false;
          }}
          onDrop={(event) => {
            event.preventDefault();
            isOver.value = false;
            void read(event.dataTransfer?.files[0]);
          }}
        >
          <label id={fileId} for={`${fileId}-file`}>
            {w.choose}
          </label>
          <input
            id={`${fileId}-file`}
            type="file"
            accept="application/json,.json"
            onChange={(event) => {
              void read(event.currentTarget.files?.[0]);
              event.currentTarget.value = "";
            }}
          />
          <p class="hint">{w.drop}</p>
        </fieldset>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            take(pasted.value);
          }}
        >
          <Field label={w.paste} error={wrong.value && w[wrong.value]}>
            {(ties) => (
              <textarea
                {...ties}
                rows={6}
                spellcheck={false}
                autocomplete="off"
                value={pasted.value}
                onInput={(event) => {
                  pasted.value = event.currentTarget.value;
                  wrong.value = undefined;
                }}
              />
            )}
          </Field>
          <Button kind="primary" submit>
            {w.check}
          </Button>
        </form>
      </Card>
    </>
  );
}
