import { useSignal } from "@preact/signals";
import type { BondView } from "agentpair";
import { openHost } from "../../live.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Line } from "../../parts/line.tsx";
import { nameOf } from "../../parts/name.ts";
import { say } from "../../parts/say.tsx";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    revoke: "Revoke this bond",
    title: (name: string) => `Revoke the bond with ${name}?`,
    what: [
      "It ends at once, and needs nobody's consent.",
      "What runs on it ends too: negotiations that are not agreed yet, and messages on their way.",
      "Agreements and their receipts stay valid, and stay here.",
      "It cannot be undone. To talk again, make a new bond with a new invite.",
    ],
    reason: (name: string) => `Why (optional; ${name} reads it)`,
    doIt: "Revoke it",
    keep: "Keep it",
    done: "Revoked.",
  },
  {
    revoke: "Akhiri ikatan ini",
    title: (name: string) => `Akhiri ikatan dengan ${name}?`,
    what: [
      "Ikatan langsung berakhir, tanpa perlu persetujuan siapa pun.",
      "Yang sedang berjalan ikut berakhir: perundingan yang belum disepakati, dan pesan yang masih di jalan.",
      "Kesepakatan dan tanda terimanya tetap sah, dan tetap di sini.",
      "Ini tidak dapat dibatalkan. Untuk berbicara lagi, buat ikatan baru dengan undangan baru.",
    ],
    reason: (name: string) => `Alasannya (boleh kosong; ${name} membacanya)`,
    doIt: "Akhiri",
    keep: "Jangan",
    done: "Sudah diakhiri.",
  },
);

/** Ends a bond, after a question. */
export function Revoke({ bond }: { bond: BondView }) {
  const w = spoken(room);
  const reason = useSignal("");
  const name = nameOf(bond);
  const revoke = async () => {
    const host = await openHost();
    await host.revoke(bond.id, reason.value.trim() || undefined);
    say(w.done);
  };
  return (
    <Confirm ask={w.revoke} title={w.title(name)} doIt={w.doIt} leave={w.keep} onConfirm={revoke}>
      <ul>
        {w.what.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Line label={w.reason(name)} value={reason} maxLength={1_000} />
    </Confirm>
  );
}
