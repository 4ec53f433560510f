import { useSignal } from "@preact/signals";
import type { Deliverable } from "agentpair";
import { useDraft } from "../../draft.ts";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Line } from "../../parts/line.tsx";
import { nameOf } from "../../parts/name.ts";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";
import { Changes } from "./changes.tsx";
import type { Room } from "./room.ts";
import { onTheTable } from "./standing.ts";

const room = words(
  {
    text: "The text to agree on",
    textHint: "Exactly these words are what both sides sign. Write everything that shall count.",
    name: "Its name",
    file: "agreement.txt",
    note: "What you say to it (optional)",
    send: (name: string) => `Send it to ${name}`,
    sent: "Sent.",
    empty: "Write the text first.",
    same: "This is the text that is on the table already.",
    changes: "What you changed",
  },
  {
    text: "Teks yang ingin disepakati",
    textHint: "Persis kata-kata ini yang ditandatangani kedua pihak. Tulis semua yang harus berlaku.",
    name: "Namanya",
    file: "kesepakatan.txt",
    note: "Pengantar dari Anda (boleh kosong)",
    send: (name: string) => `Kirim kepada ${name}`,
    sent: "Terkirim.",
    empty: "Tulis teksnya dulu.",
    same: "Ini teks yang sudah ada di meja.",
    changes: "Yang Anda ubah",
  },
);

interface EditorProps {
  room: Room;
  kind: "propose" | "counter";
  /** It cannot be sent yet. */
  isEarly?: boolean;
}

/** Writes a text, from the last one that was put forward, and puts it forward. */
export function Editor({ room: { view, turns, texts, bond }, kind, isEarly = false }: EditorProps) {
  const w = spoken(room);
  const act = useAct();
  const table = onTheTable(turns)?.deliverable;
  const before = table && texts.get(table.sha256);
  const draft = `${view.bond}.${view.thread}`;
  const text = useDraft(`text.${draft}`, before?.text);
  const note = useDraft(`note.${draft}`);
  const name = useDraft(`name.${draft}`, before?.name ?? w.file);
  const fault = useSignal<"empty" | "same" | undefined>(undefined);
  const send = async () => {
    const whole = deliverable(text.value, name.value, before);
    const isSame = before?.text === whole.text && before.name === whole.name;
    fault.value = whole.text.trim() === "" ? "empty" : isSame ? "same" : undefined;
    if (fault.value !== undefined) return;
    text.value = whole.text;
    name.value = whole.name;
    const host = await openHost();
    await host.turn(view.bond, view.thread, kind, note.value.trim(), whole);
    note.value = "";
    say(w.sent);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void act.run(send);
      }}
    >
      <Field label={w.text} hint={w.textHint} error={fault.value && w[fault.value]}>
        {(ties) => (
          <textarea
            {...ties}
            rows={10}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              fault.value = undefined;
            }}
          />
        )}
      </Field>
      {before && text.value !== before.text && text.value.length + before.text.length < 20_000 && (
        <details>
          <summary>{w.changes}</summary>
          <Changes before={before.text} after={text.value} />
        </details>
      )}
      <Line label={w.name} value={name} maxLength={100} />
      <Line label={w.note} value={note} />
      <Trouble error={act.error} />
      {!isEarly && (
        <div class="buttons">
          <Button kind="primary" submit busy={act.isBusy}>
            {w.send(nameOf(bond))}
          </Button>
        </div>
      )}
    </form>
  );
}

/** What is put forward: of the kind of the text before. What a keyboard writes in several ways is written in one. */
function deliverable(text: string, name: string, before: Deliverable | undefined): Deliverable {
  const canonical = text
    .replaceAll(/\r\n?/g, "\n")
    .replace(/^\ufeff/, "")
    .normalize("NFC");
  return {
    kind: before?.kind ?? "text",
    media_type: before?.media_type ?? "text/plain",
    name: name.trim().normalize("NFC") || (before?.name ?? "text"),
    text: canonical,
  };
}
