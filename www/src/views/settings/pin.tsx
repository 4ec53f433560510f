import { useRef } from "preact/hooks";
import { live, openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";
import { NewSecretFields, useNewSecret } from "./new-secret.tsx";
import { clearSecrets, Secret, secretIn } from "./secret.tsx";

const room = words(
  {
    title: "PIN",
    none: "There is no PIN. With one, each decision here asks for it, and those you are bonded with take no ratification of yours without it.",
    set: "A PIN is set: each decision here asks for it.",
    forgotten: "Nobody can recover it. Without it, only wiping this page helps.",
    current: "Your current PIN",
    fresh: "New PIN",
    freshHint: "At least 8 characters.",
    again: "The new PIN once more",
    differ: "The two are not the same.",
    doSet: "Set the PIN",
    change: "Change it",
    remove: "Remove the PIN",
    setDone: "The PIN is set.",
    removed: "The PIN is removed.",
    changing: "Change or remove it",
    setting: "Set a PIN",
  },
  {
    title: "PIN",
    none: "Belum ada PIN. Dengan PIN, setiap keputusan di sini memintanya, dan mereka yang terikat dengan Anda tidak menerima pengesahan Anda tanpa PIN itu.",
    set: "PIN sudah dipasang: setiap keputusan di sini memintanya.",
    forgotten: "Tidak ada yang dapat memulihkannya. Tanpa PIN itu, hanya menghapus halaman ini yang menolong.",
    current: "PIN sekarang",
    fresh: "PIN baru",
    freshHint: "Paling sedikit 8 karakter.",
    again: "PIN baru sekali lagi",
    differ: "Keduanya tidak sama.",
    doSet: "Pasang PIN",
    change: "Ganti",
    remove: "Hapus PIN",
    setDone: "PIN sudah dipasang.",
    removed: "PIN sudah dihapus.",
    changing: "Ganti atau hapus",
    setting: "Pasang PIN",
  },
);

/** The PIN: set, changed, removed. */
export function Pin() {
  const w = spoken(room);
  const isSet = live.value?.me.approver !== undefined;
  return (
    <Card title={w.title}>
      <p>{isSet ? w.set : w.none}</p>
      <p class="hint">{w.forgotten}</p>
      <details>
        <summary>{isSet ? w.changing : w.setting}</summary>
        <PinForm isSet={isSet} />
      </details>
    </Card>
  );
}

function PinForm({ isSet }: { isSet: boolean }) {
  const w = spoken(room);
  const setting = useAct();
  const removing = useAct();
  const current = useRef<HTMLInputElement>(null);
  const fresh = useNewSecret();
  const clear = () => clearSecrets(current, fresh.first, fresh.again);
  const set = async () => {
    if (!fresh.isSame()) return;
    const host = await openHost();
    await host.setPin(secretIn(fresh.first), isSet ? secretIn(current) : undefined).finally(clear);
    say(w.setDone);
  };
  const remove = async () => {
    const host = await openHost();
    await host.removePin(secretIn(current)).finally(clear);
    say(w.removed);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        removing.clear();
        void setting.run(set);
      }}
    >
      {isSet && <Secret label={w.current} field={current} />}
      <NewSecretFields
        secret={fresh}
        label={w.fresh}
        hint={w.freshHint}
        againLabel={w.again}
        differ={w.differ}
        minLength={8}
      />
      <Trouble error={setting.error ?? removing.error} />
      <div class="buttons">
        <Button kind="primary" submit busy={setting.isBusy}>
          {isSet ? w.change : w.doSet}
        </Button>
        {isSet && (
          <Button
            kind="danger"
            busy={removing.isBusy}
            onClick={() => {
              setting.clear();
              void removing.run(remove);
            }}
          >
            {w.remove}
          </Button>
        )}
      </div>
    </form>
  );
}
