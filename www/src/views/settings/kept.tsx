import { useSignal } from "@preact/signals";
import type { Persistence } from "agentpair";
import { useEffect } from "preact/hooks";
import { askToKeep } from "../../keeping.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { language, spoken, words } from "../../words/language.ts";

const room = words(
  {
    title: "Where your data are",
    here: "Your keys, bonds and messages are in this browser only, on this device. Whoever clears the data of this page, or uses a private window, loses them.",
    kept: "This browser has promised not to remove them by itself.",
    notKept: "This browser may remove them when it runs out of space. A backup helps.",
    ask: "Ask the browser to keep them",
    refused: "The browser did not promise it. Some do when you use a page often, or put it on your home screen.",
    used: (mib: string) => `${mib} MiB are in use.`,
  },
  {
    title: "Di mana data Anda",
    here: "Kunci, ikatan, dan pesan Anda hanya ada di peramban ini, di perangkat ini. Siapa pun yang menghapus data halaman ini, atau memakai jendela pribadi, kehilangan semuanya.",
    kept: "Peramban ini berjanji tidak menghapusnya sendiri.",
    notKept: "Peramban ini bisa menghapusnya jika kehabisan tempat. Cadangan membantu.",
    ask: "Minta peramban menyimpannya",
    refused:
      "Peramban tidak berjanji. Sebagian peramban berjanji jika halaman sering dipakai atau dipasang di layar utama.",
    used: (mib: string) => `${mib} MiB terpakai.`,
  },
);

/** Whether the browser keeps the data. */
export function Kept() {
  const w = spoken(room);
  const act = useAct();
  const found = useSignal<Persistence | undefined>(undefined);
  const isRefused = useSignal(false);
  useEffect(() => {
    const look = async () => {
      const [persisted, estimate] = await Promise.all([navigator.storage.persisted(), navigator.storage.estimate()]);
      found.value = { persisted, usage: estimate.usage, quota: estimate.quota };
    };
    // A browser that tells nothing promises nothing.
    look().catch(() => {
      found.value = { persisted: false, usage: undefined, quota: undefined };
    });
  }, []);
  const ask = async () => {
    found.value = await askToKeep();
    isRefused.value = !found.value.persisted;
  };
  const usage = found.value?.usage;
  return (
    <Card title={w.title}>
      <p>{w.here}</p>
      {found.value && <p role="status">{found.value.persisted ? w.kept : isRefused.value ? w.refused : w.notKept}</p>}
      {usage !== undefined && (
        <p class="hint">{w.used((usage / 1_048_576).toLocaleString(language.value, { maximumFractionDigits: 1 }))}</p>
      )}
      <Trouble error={act.error} />
      {found.value && !found.value.persisted && (
        <div class="buttons">
          <Button busy={act.isBusy} onClick={() => void act.run(ask)}>
            {w.ask}
          </Button>
        </div>
      )}
    </Card>
  );
}
