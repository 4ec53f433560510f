import { useSignal } from "@preact/signals";
import { wipeAll } from "../../keeping.ts";
import { live, phase } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { go } from "../../route.ts";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    title: "Wipe",
    what: "Removes everything of this page from this browser.",
    wipe: "Wipe everything",
    ask: "Wipe everything?",
    lines: [
      "Your keys, bonds, messages and receipts are removed from this browser.",
      "Nothing of it can be brought back, except from a backup.",
      "The other sides are not told. Revoke bonds before, if they shall know.",
    ],
    word: "wipe",
    type: (word: string) => `Type “${word}” to go on`,
    keep: "Keep it",
    done: "Everything is wiped.",
  },
  {
    title: "Hapus semua",
    what: "Menghapus semua milik halaman ini dari peramban ini.",
    wipe: "Hapus semuanya",
    ask: "Hapus semuanya?",
    lines: [
      "Kunci, ikatan, pesan, dan tanda terima Anda dihapus dari peramban ini.",
      "Tidak ada yang dapat dikembalikan, kecuali dari cadangan.",
      "Pihak lain tidak diberi tahu. Akhiri dulu ikatannya jika mereka perlu tahu.",
    ],
    word: "hapus",
    type: (word: string) => `Ketik “${word}” untuk melanjutkan`,
    keep: "Jangan",
    done: "Semuanya sudah dihapus.",
  },
);

/** Removes everything, after a word was typed. For a host that cannot be opened too. */
export function Wipe() {
  const w = spoken(room);
  const act = useAct();
  const isAsking = useSignal(false);
  const typed = useSignal("");
  const close = () => {
    isAsking.value = false;
    typed.value = "";
    act.clear();
  };
  const wipe = async () => {
    if (typed.value.trim().toLowerCase() !== w.word) return;
    await wipeAll();
    close();
    say(w.done);
    go({ view: "home" });
  };
  // The host is closed while it goes on: the question stays.
  if (!live.value && phase.value !== "failed" && !act.isBusy) return null;
  return (
    <Card title={w.title}>
      <p>{w.what}</p>
      <Button
        kind="danger"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        {w.wipe}
      </Button>
      {isAsking.value && (
        <Dialog title={w.ask} onClose={close}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void act.run(wipe);
            }}
          >
            <ul>
              {w.lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <Field label={w.type(w.word)}>
              {(ties) => (
                <input
                  {...ties}
                  autocomplete="off"
                  autocapitalize="none"
                  value={typed.value}
                  onInput={(event) => {
                    typed.value = event.currentTarget.value;
                  }}
                />
              )}
            </Field>
            <Trouble error={act.error} />
            <div class="buttons">
              <Button kind="danger" submit busy={act.isBusy} disabled={typed.value.trim().toLowerCase() !== w.word}>
                {w.wipe}
              </Button>
              <Button onClick={close}>{w.keep}</Button>
            </div>
          </form>
        </Dialog>
      )}
    </Card>
  );
}
