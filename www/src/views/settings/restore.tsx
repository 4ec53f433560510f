import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { restoreFrom } from "../../keeping.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field } from "../../parts/field.tsx";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { go } from "../../route.ts";
import { moment, spoken, words } from "../../words/language.ts";
import { clearSecrets, Secret, secretIn } from "./secret.tsx";

const room = words(
  {
    title: "Restore a backup",
    what: [
      "Everything is as it was when the backup was made.",
      "Negotiations that were open then end, and the other sides are told: what was said since is unknown here.",
      "Do not use the same backup in two places.",
    ],
    file: "The backup file",
    noFile: "Choose the file first.",
    pass: "Its passphrase",
    restore: "Restore it",
    done: (bonds: number, at: string) => `Restored. The backup was made: ${at}. Bonds: ${bonds}.`,
  },
  {
    title: "Pulihkan cadangan",
    what: [
      "Semuanya kembali seperti saat cadangan dibuat.",
      "Perundingan yang saat itu terbuka berakhir, dan pihak lain diberi tahu: yang dibahas sejak itu tidak diketahui di sini.",
      "Jangan pakai cadangan yang sama di dua tempat.",
    ],
    file: "Berkas cadangan",
    noFile: "Pilih berkasnya dulu.",
    pass: "Frasa sandinya",
    restore: "Pulihkan",
    done: (bonds: number, at: string) => `Sudah dipulihkan. Cadangan dibuat: ${at}. Ikatan: ${bonds}.`,
  },
);

/** Puts a backup into a page that has nothing yet. */
export function Restore() {
  const w = spoken(room);
  const act = useAct();
  const file = useSignal<File | undefined>(undefined);
  const isMissing = useSignal(false);
  const passphrase = useRef<HTMLInputElement>(null);
  const restore = async () => {
    isMissing.value = file.value === undefined;
    if (!file.value) return;
    const restored = restoreFrom(file.value, secretIn(passphrase));
    const { bonds, createdAt } = await restored.finally(() => clearSecrets(passphrase));
    say(w.done(bonds.length, moment(Date.parse(createdAt))));
    go({ view: "home" });
  };
  return (
    <Card title={w.title}>
      <ul>
        {w.what.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(restore);
        }}
      >
        <Field label={w.file} error={isMissing.value ? w.noFile : undefined}>
          {(ties) => (
            <input
              {...ties}
              type="file"
              onChange={(event) => {
                file.value = event.currentTarget.files?.[0];
              }}
            />
          )}
        </Field>
        <Secret label={w.pass} field={passphrase} />
        <Trouble error={act.error} />
        <Button submit busy={act.isBusy}>
          {w.restore}
        </Button>
      </form>
    </Card>
  );
}
