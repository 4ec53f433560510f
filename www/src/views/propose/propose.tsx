import "./propose.css";
import { useSignal } from "@preact/signals";
import { useDraft } from "../../draft.ts";
import { live, openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field } from "../../parts/field.tsx";
import { nameOf } from "../../parts/name.ts";
import { Trouble } from "../../parts/trouble.tsx";
import { addressOf, go } from "../../route.ts";
import { spoken, words } from "../../words/language.ts";
import { Criteria } from "./criteria.tsx";
import { faults, TURNS, termsOf, usualDeadline } from "./terms.ts";

const room = words(
  {
    title: (name: string) => `Propose something to ${name}`,
    intro: (name: string) =>
      `${name} sees this, and decides whether to negotiate. These words cannot be changed afterwards; the text to agree on comes next.`,
    goal: "What shall be agreed",
    goalHint: "In a sentence, such as: the price of one hour of work from May on.",
    goalFault: "Say what shall be agreed.",
    deadline: "Until when",
    deadlineHint: "In your local time. After that it ends by itself.",
    deadlineFault: "Choose a time that is still to come.",
    turns: "How many turns both sides have together",
    turnsHint: "Each text and each answer is a turn. More can be asked for.",
    turnsFault: "A number from 1 to 1,000.",
    send: "Propose it",
    back: "Not now",
    unknown: "There is no such bond on this page.",
  },
  {
    title: (name: string) => `Usulkan sesuatu kepada ${name}`,
    intro: (name: string) =>
      `${name} melihat ini, lalu memutuskan apakah mau berunding. Kata-kata ini tidak dapat diubah lagi; teks yang ingin disepakati menyusul.`,
    goal: "Yang ingin disepakati",
    goalHint: "Dalam satu kalimat, misalnya: harga satu jam kerja mulai Mei.",
    goalFault: "Tulis apa yang ingin disepakati.",
    deadline: "Sampai kapan",
    deadlineHint: "Menurut waktu setempat Anda. Setelah itu berakhir otomatis.",
    deadlineFault: "Pilih waktu yang belum lewat.",
    turns: "Jumlah giliran kedua pihak bersama",
    turnsHint: "Setiap teks dan setiap jawaban adalah satu giliran. Tambahan dapat diminta.",
    turnsFault: "Angka dari 1 sampai 1.000.",
    send: "Usulkan",
    back: "Nanti saja",
    unknown: "Ikatan itu tidak ada di halaman ini.",
  },
);

/** Opens a negotiation: the terms. */
export function Propose({ bond: id }: { bond: string }) {
  const w = spoken(room);
  const act = useAct();
  const goal = useDraft(`goal.${id}`);
  const criteria = useDraft(`criteria.${id}`, "[]");
  const deadline = useDraft(`deadline.${id}`, usualDeadline(Date.now()));
  const turns = useDraft(`turns.${id}`, String(TURNS));
  const shown = useSignal<ReturnType<typeof faults>>({});
  const bond = live.value?.bonds.find((bond) => bond.id === id);
  if (!bond) return <h1>{w.unknown}</h1>;
  const listed = list(criteria.value);
  const propose = async () => {
    const wanted = { goal: goal.value, criteria: listed, deadline: deadline.value, turns: Number(turns.value) };
    shown.value = faults(wanted, Date.now());
    if (Object.keys(shown.value).length > 0) return;
    const host = await openHost();
    const thread = await host.openSession(id, termsOf(wanted));
    goal.value = "";
    criteria.value = "[]";
    go({ view: "session", bond: id, thread });
  };
  return (
    <div class="propose">
      <h1>{w.title(nameOf(bond))}</h1>
      <Card>
        <p>{w.intro(nameOf(bond))}</p>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void act.run(propose);
          }}
        >
          <Field label={w.goal} hint={w.goalHint} error={shown.value.goal && w.goalFault}>
            {(ties) => (
              <textarea
                {...ties}
                rows={3}
                maxLength={4_000}
                required
                value={goal.value}
                onInput={(event) => {
                  goal.value = event.currentTarget.value;
                }}
              />
            )}
          </Field>
          <Criteria
            list={listed}
            onChange={(now) => {
              criteria.value = JSON.stringify(now);
            }}
          />
          <div class="pair">
            <Field label={w.deadline} hint={w.deadlineHint} error={shown.value.deadline && w.deadlineFault}>
              {(ties) => (
                <input
                  {...ties}
                  type="datetime-local"
                  required
                  value={deadline.value}
                  onInput={(event) => {
                    deadline.value = event.currentTarget.value;
                  }}
                />
              )}
            </Field>
            <Field label={w.turns} hint={w.turnsHint} error={shown.value.turns && w.turnsFault}>
              {(ties) => (
                <input
                  {...ties}
                  type="number"
                  required
                  min={1}
                  max={1_000}
                  value={turns.value}
                  onInput={(event) => {
                    turns.value = event.currentTarget.value;
                  }}
                />
              )}
            </Field>
          </div>
          <Trouble error={act.error} />
          <div class="buttons">
            <Button kind="primary" submit busy={act.isBusy}>
              {w.send}
            </Button>
            <LinkButton to={addressOf({ view: "bond", bond: id })}>{w.back}</LinkButton>
          </div>
        </form>
      </Card>
    </div>
  );
}

function list(json: string): string[] {
  try {
    const found: unknown = JSON.parse(json);
    return Array.isArray(found) ? found.map(String) : [];
  } catch {
    return [];
  }
}
