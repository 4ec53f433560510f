import { backUp } from "../../keeping.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { downloadText } from "../../parts/download.ts";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";
import { NewSecretFields, useNewSecret } from "./new-secret.tsx";
import { clearSecrets, secretIn } from "./secret.tsx";

const room = words(
  {
    title: "Backup",
    what: "One file with everything: keys, bonds, messages that you got, agreements and receipts, sealed under a passphrase. The texts that you sent are not in it.",
    old: "A backup gets old: what happened after it is lost when you go back to it.",
    make: "Make a backup",
    pass: "Passphrase",
    passHint: "At least 10 characters, such as five words. Without it nobody can open the file.",
    again: "The passphrase once more",
    differ: "The two are not the same.",
    save: "Make and download it",
    done: "The backup is made.",
  },
  {
    title: "Cadangan",
    what: "Satu berkas berisi semuanya: kunci, ikatan, pesan yang Anda terima, kesepakatan dan tanda terima, disegel dengan frasa sandi. Teks yang Anda kirim tidak termasuk.",
    old: "Cadangan menjadi usang: yang terjadi sesudahnya hilang jika Anda kembali ke cadangan itu.",
    make: "Buat cadangan",
    pass: "Frasa sandi",
    passHint: "Paling sedikit 10 karakter, misalnya lima kata. Tanpa itu tidak ada yang dapat membuka berkasnya.",
    again: "Frasa sandi sekali lagi",
    differ: "Keduanya tidak sama.",
    save: "Buat dan unduh",
    done: "Cadangan sudah dibuat.",
  },
);

/** Everything in one sealed file. */
export function Backup() {
  const w = spoken(room);
  const act = useAct();
  const passphrase = useNewSecret();
  const make = async () => {
    if (!passphrase.isSame()) return;
    const file = await backUp(secretIn(passphrase.first)).finally(() =>
      clearSecrets(passphrase.first, passphrase.again),
    );
    downloadText(`agentpair-${new Date().toISOString().slice(0, 10)}.backup`, "application/octet-stream", file);
    say(w.done);
  };
  return (
    <Card title={w.title}>
      <p>{w.what}</p>
      <p class="hint">{w.old}</p>
      <details>
        <summary>{w.make}</summary>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void act.run(make);
          }}
        >
          <NewSecretFields
            secret={passphrase}
            label={w.pass}
            hint={w.passHint}
            againLabel={w.again}
            differ={w.differ}
            minLength={10}
          />
          <Trouble error={act.error} />
          <Button kind="primary" submit busy={act.isBusy}>
            {w.save}
          </Button>
        </form>
      </details>
    </Card>
  );
}
