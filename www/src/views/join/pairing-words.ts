import type { PairingView } from "agentpair";
import { spoken, words } from "../../words/language.ts";

type Told = Record<string, string>;

export const room = words(
  {
    steps: {
      publishing: "The relay is being told of your invite…",
      published: "Your invite is ready. Nobody has used it yet.",
      withdrawing: "The invite is being withdrawn…",
      confirming: "The other side has used your code. Its human decides now…",
      registering: "You both agreed. The bond is being made…",
      concluding: "You both agreed. The bond is being made…",
      claiming: "The relay is being asked for the invite…",
      answering: "The invite is found. The other side's page or agent has to answer: it must be open there.",
      deciding: "The code is right. Now it is up to you:",
      agreeing: "You agreed. The other side's last word is awaited…",
      failing: "It did not work out. The other side is being told…",
    } as Told,
    outcomes: {
      bonded: "You are bonded.",
      pake_failed:
        "The code was wrong, or somebody stood between. Nobody is bonded, and the code is used up: a new invite is needed.",
      bond_tag_mismatch: "The pairing did not close. Nobody is bonded: a new invite is needed.",
      approval_declined: "You refused. Nobody is bonded.",
      rejected: "The other side refused or gave up. Nobody is bonded.",
      bond_aborted: "The other side gave up. Nobody is bonded.",
      withdrawn: "It was withdrawn. The code opens nothing any more.",
      claimed_by_stranger:
        "Somebody used the code and did not go through with it. Nobody is bonded, and that code opens nothing any more.",
      pair_session_lost: "The other side did not finish in time. Nobody is bonded: a new invite is needed.",
      invalid_invite: "The invite at the relay is not what its maker signed. Nobody is bonded: ask for a new one.",
      invite_not_found: "The relay knows no such invite. Is the code right, and are both of you on the same relay?",
      invite_claimed: "Somebody has used this code already. Ask for a new one.",
      invite_expired: "This code is over: its time has passed, or it was withdrawn. A new invite is needed.",
      relay_has_no_invites: "This relay takes no invites.",
      bond_incomplete: "The other side never spoke. The bond was given up.",
    } as Told,
    refused: (code: string) => `The relay refused (${code}). Nobody is bonded.`,
    troubles: {
      no_answer: "The relay does not answer. This page goes on trying: is this device online?",
      nonsense: "What answers there is no relay. This page goes on trying.",
    } as Told,
    trouble: (code: string) => `The relay refuses for now (${code}). This page goes on trying.`,
  },
  {
    steps: {
      publishing: "Relai sedang diberi tahu tentang undangan Anda…",
      published: "Undangan Anda siap. Belum ada yang memakainya.",
      withdrawing: "Undangan sedang ditarik…",
      confirming: "Pihak lain sudah memakai kode Anda. Orangnya sedang memutuskan…",
      registering: "Anda berdua setuju. Ikatan sedang dibuat…",
      concluding: "Anda berdua setuju. Ikatan sedang dibuat…",
      claiming: "Undangan sedang diminta dari relai…",
      answering: "Undangan ditemukan. Halaman atau agen pihak lain harus menjawab: di sana harus terbuka.",
      deciding: "Kodenya benar. Sekarang terserah Anda:",
      agreeing: "Anda setuju. Menunggu kata terakhir pihak lain…",
      failing: "Tidak berhasil. Pihak lain sedang diberi tahu…",
    },
    outcomes: {
      bonded: "Anda sudah terikat.",
      pake_failed:
        "Kodenya salah, atau ada yang menyusup di tengah. Tidak ada ikatan, dan kodenya sudah terpakai: perlu undangan baru.",
      bond_tag_mismatch: "Penyandingan tidak selesai. Tidak ada ikatan: perlu undangan baru.",
      approval_declined: "Anda menolak. Tidak ada ikatan.",
      rejected: "Pihak lain menolak atau membatalkan. Tidak ada ikatan.",
      bond_aborted: "Pihak lain membatalkan. Tidak ada ikatan.",
      withdrawn: "Sudah ditarik. Kode itu tidak membuka apa pun lagi.",
      claimed_by_stranger:
        "Seseorang memakai kode itu dan tidak menyelesaikannya. Tidak ada ikatan, dan kode itu tidak membuka apa pun lagi.",
      pair_session_lost: "Pihak lain tidak selesai tepat waktu. Tidak ada ikatan: perlu undangan baru.",
      invalid_invite: "Undangan di relai bukan yang ditandatangani pembuatnya. Tidak ada ikatan: mintalah yang baru.",
      invite_not_found:
        "Relai tidak mengenal undangan itu. Benarkah kodenya, dan apakah Anda berdua memakai relai yang sama?",
      invite_claimed: "Kode ini sudah dipakai seseorang. Mintalah yang baru.",
      invite_expired: "Kode ini sudah tidak berlaku: waktunya habis, atau ditarik kembali. Perlu undangan baru.",
      relay_has_no_invites: "Relai ini tidak menerima undangan.",
      bond_incomplete: "Pihak lain tidak pernah berbicara. Ikatan dilepas.",
    },
    refused: (code: string) => `Relai menolak (${code}). Tidak ada ikatan.`,
    troubles: {
      no_answer: "Relai tidak menjawab. Halaman ini terus mencoba: apakah perangkat ini daring?",
      nonsense: "Yang menjawab di sana bukan relai. Halaman ini terus mencoba.",
    },
    trouble: (code: string) => `Relai menolak untuk sementara (${code}). Halaman ini terus mencoba.`,
  },
);

/** How a pairing stands, or how it ended. */
export function standing({ step, outcome }: PairingView): string {
  const { steps, outcomes, refused } = spoken(room);
  if (outcome !== undefined) return outcomes[outcome] ?? refused(outcome);
  return steps[step] ?? step;
}

/** What is wrong with the relay of a pairing that goes on. */
export function troubleOf({ trouble, outcome }: PairingView): string | undefined {
  if (trouble === undefined || outcome !== undefined) return undefined;
  const { troubles, trouble: other } = spoken(room);
  return troubles[trouble] ?? other(trouble);
}
