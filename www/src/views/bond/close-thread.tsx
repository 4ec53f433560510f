import type { BondView } from "agentpair";
import { openHost } from "../../live.ts";
import { noteClosed } from "../../notes.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { nameOf } from "../../parts/name.ts";
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
  const close = async () => {
    const host = await openHost();
    await host.closeThread(bond.id, thread);
    await noteClosed(bond.id, thread);
  };
  return (
    <Confirm ask={w.close} kind="quiet" title={w.title} doIt={w.doIt} leave={w.keep} onConfirm={close}>
      <p>{w.what(nameOf(bond))}</p>
    </Confirm>
  );
}
