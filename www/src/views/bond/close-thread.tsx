import { useSignal } from "@preact/signals";
import type { BondView } from "agentpair";
import { openHost } from "../../live.ts";
import { noteClosed } from "../../notes.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { nameOf } from "../../parts/name.ts";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    close: "Close this conversation",
    title: "Close this conversation?",
    what: (name: string) => `${name} is told, and neither of you can write in it any more. What was said stays here.`,
    doIt: "Close it",
    keep: "Leave it open",
  },
  {
    close: "Tutup percakapan ini",
    title: "Tutup percakapan ini?",
    what: (name: string) =>
      `${name} diberi tahu, dan Anda berdua tidak dapat menulis di sini lagi. Yang sudah ditulis tetap di sini.`,
    doIt: "Tutup",
    keep: "Biarkan terbuka",
  },
);

/** Closes a thread, after a question. */
export function CloseThread({ bond, thread }: { bond: BondView; thread: string }) {
  const w = spoken(room);
  const act = useAct();
  const isAsking = useSignal(false);
  const cancel = () => {
    isAsking.value = false;
  };
  const close = async () => {
    const host = await openHost();
    await host.closeThread(bond.id, thread);
    await noteClosed(bond.id, thread);
    cancel();
  };
  return (
    <>
      <Button
        kind="quiet"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        {w.close}
      </Button>
      {isAsking.value && (
        <Dialog title={w.title} onClose={cancel}>
          <p>{w.what(nameOf(bond))}</p>
          <Trouble error={act.error} />
          <div class="buttons">
            <Button kind="danger" busy={act.isBusy} onClick={() => void act.run(close)}>
              {w.doIt}
            </Button>
            <Button onClick={cancel}>{w.keep}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
