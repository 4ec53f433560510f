import { useSignal } from "@preact/signals";
import { live, openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Line } from "../../parts/line.tsx";
import { LONGEST_NAME } from "../../parts/name.ts";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    title: "Your name",
    label: "How others may call you",
    hint: "Those you bond with from now on see it, as your own word. Leave it empty to tell them nothing.",
    save: "Save",
    saved: "Saved.",
  },
  {
    title: "Nama Anda",
    label: "Bagaimana orang lain menyebut Anda",
    hint: "Dilihat oleh mereka yang terikat dengan Anda mulai sekarang, sebagai keterangan Anda sendiri. Kosongkan jika tidak mau memberi tahu.",
    save: "Simpan",
    saved: "Tersimpan.",
  },
);

/** How the owner wants to be called. */
export function Label() {
  const w = spoken(room);
  const act = useAct();
  const label = useSignal(live.value?.me.label ?? "");
  const save = async () => {
    const host = await openHost();
    await host.setLabel(label.value.trim() || undefined);
    say(w.saved);
  };
  return (
    <Card title={w.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(save);
        }}
      >
        <Line label={w.label} hint={w.hint} value={label} maxLength={LONGEST_NAME} />
        <Trouble error={act.error} />
        <Button submit busy={act.isBusy}>
          {w.save}
        </Button>
      </form>
    </Card>
  );
}
