import { words } from "../../words/language.ts";

/** What is asked, by the kind of the item. */
export type Kind = "join" | "open" | "ratify" | "extend" | "verify" | "continue";

interface KindWords {
  /** A word or two above the question. */
  name: string;
  /** The question. */
  ask: (name: string) => string;
  /** What approving leads to. */
  yes: string;
  /** What rejecting leads to. */
  no: string;
}

export const kinds = words<Record<Kind, KindWords>>(
  {
    join: {
      name: "New bond",
      ask: (name) => `Bond with ${name}?`,
      yes: "From then on the two of you can write to each other and agree on things. You can revoke it at any time.",
      no: "Nobody is bonded, and the code is used up.",
    },
    open: {
      name: "Negotiation",
      ask: (name) => `Negotiate with ${name} on these terms?`,
      yes: "Proposals can go back and forth. Nothing is agreed before you ratify it.",
      no: "The other side is told that you do not negotiate on these terms.",
    },
    ratify: {
      name: "Agreement",
      ask: (name) => `Ratify this with ${name}? Your key signs it for you.`,
      yes: "Your signature goes to the other side. It cannot be taken back.",
      no: "This negotiation ends without an agreement.",
    },
    extend: {
      name: "More turns",
      ask: (name) => `Allow more turns with ${name}?`,
      yes: "Both sides may go on for the new number of turns.",
      no: "The number of turns stays as it is.",
    },
    verify: {
      name: "Safety number",
      ask: (name) => `Does ${name} see the same safety number, all five groups?`,
      yes: "This bond counts as compared from then on.",
      no: "Nothing goes in or out on this bond until the numbers are equal.",
    },
    continue: {
      name: "Go on?",
      ask: (name) => `Let your agent go on writing to ${name}?`,
      yes: "It was stopped since it wrote a lot without you. It may go on then.",
      no: "It stays stopped. You can still read everything.",
    },
  },
  {
    join: {
      name: "Ikatan baru",
      ask: (name) => `Buat ikatan dengan ${name}?`,
      yes: "Setelah itu Anda berdua bisa saling menulis dan bersepakat. Anda bisa mengakhirinya kapan saja.",
      no: "Tidak ada ikatan, dan kodenya sudah terpakai.",
    },
    open: {
      name: "Perundingan",
      ask: (name) => `Berunding dengan ${name} dengan syarat ini?`,
      yes: "Usulan bisa saling dikirim. Tidak ada yang disepakati sebelum Anda mengesahkannya.",
      no: "Pihak lain diberi tahu bahwa Anda tidak berunding dengan syarat ini.",
    },
    ratify: {
      name: "Kesepakatan",
      ask: (name) => `Sahkan ini dengan ${name}? Kunci Anda menandatanganinya untuk Anda.`,
      yes: "Tanda tangan Anda dikirim ke pihak lain. Ini tidak bisa ditarik kembali.",
      no: "Perundingan ini berakhir tanpa kesepakatan.",
    },
    extend: {
      name: "Tambah giliran",
      ask: (name) => `Izinkan lebih banyak giliran dengan ${name}?`,
      yes: "Kedua pihak boleh lanjut sampai jumlah giliran yang baru.",
      no: "Jumlah giliran tetap seperti sekarang.",
    },
    verify: {
      name: "Nomor keamanan",
      ask: (name) => `Apakah ${name} melihat nomor keamanan yang sama, kelima kelompoknya?`,
      yes: "Sejak itu ikatan ini tercatat sudah dibandingkan.",
      no: "Tidak ada yang masuk atau keluar di ikatan ini sampai nomornya sama.",
    },
    continue: {
      name: "Lanjutkan?",
      ask: (name) => `Biarkan agen Anda terus menulis kepada ${name}?`,
      yes: "Agen dihentikan karena menulis banyak tanpa Anda. Setelah ini agen boleh lanjut.",
      no: "Agen tetap berhenti. Anda masih bisa membaca semuanya.",
    },
  },
);

export const room = words(
  {
    heading: (n: number) => (n === 1 ? "This waits for you" : `${n} things wait for you`),
    news: (kind: string) => `New, and waiting for you: ${kind}`,
    until: (time: string) => `Waits until ${time}.`,
    digest: "Digest of the question",
    approve: "Approve…",
    reject: "Reject…",
    sure: { approve: "Approve this?", reject: "Reject this?" },
    now: { approve: "Approve", reject: "Reject" },
    done: { approve: "Approved.", reject: "Rejected." },
    back: "Back",
    close: "Close",
    reason: "Words for the other side",
    reasonHint: "You may leave this empty.",
    pin: "PIN",
    checking: "Checking the PIN…",
    gone: "This question is gone, or it is another one by now. You decided nothing.",
    theirs: (name: string) => `Written by ${name}, checked by nobody`,
    stranger: "the one who gave you the code",
    strangerMark: "the other side",
    key: (name: string, tail: string) => `${name}, key ending in ${tail}`,
    yourTime: (time: string) => `in your time: ${time}`,
    lasts: {
      bonded_contact: "until one of you revokes it",
      ephemeral_until_session_closes: "until the first negotiation is over",
    } as Record<string, string>,
    labels: {
      peer: "With",
      for: "What it is for",
      lasts: "How long it lasts",
      relay: "Relay",
      keys: "Digest of both keys",
      "safety number": "Safety number",
      goal: "Goal",
      "accepted when": "Accepted when",
      turns: "Turns, both sides together",
      deadline: "Deadline",
      "agents may": "Agents may",
      "humans must": "Only humans may",
      "agents ask when": "Agents ask when",
      "replaces agreement": "Replaces the agreement",
      deliverable: "What is signed",
      sha256: "SHA-256 of its text",
      bytes: "Length in bytes",
      agreement: "Digest of the agreement",
      "valid until": "Valid until",
      text: "The text, in full",
      "turns used": "Turns used",
      "turns allowed now": "Turns allowed now",
      "turns allowed then": "Turns allowed then",
      "why it was stopped": "Why it was stopped",
      "messages since you last decided something": "Messages since you last decided something",
    } as Record<string, string>,
  },
  {
    heading: (n: number) => (n === 1 ? "Ini menunggu Anda" : `${n} hal menunggu Anda`),
    news: (kind: string) => `Baru, dan menunggu Anda: ${kind}`,
    until: (time: string) => `Menunggu sampai ${time}.`,
    digest: "Sidik pertanyaan",
    approve: "Setujui…",
    reject: "Tolak…",
    sure: { approve: "Setujui ini?", reject: "Tolak ini?" },
    now: { approve: "Setujui", reject: "Tolak" },
    done: { approve: "Disetujui.", reject: "Ditolak." },
    back: "Kembali",
    close: "Tutup",
    reason: "Pesan untuk pihak lain",
    reasonHint: "Boleh dikosongkan.",
    pin: "PIN",
    checking: "Memeriksa PIN…",
    gone: "Pertanyaan ini sudah tidak ada, atau sudah berganti. Anda tidak memutuskan apa pun.",
    theirs: (name: string) => `Ditulis oleh ${name}, tidak diperiksa siapa pun`,
    stranger: "orang yang memberi Anda kode",
    strangerMark: "pihak lain",
    key: (name: string, tail: string) => `${name}, kunci berakhiran ${tail}`,
    yourTime: (time: string) => `menurut waktu Anda: ${time}`,
    lasts: {
      bonded_contact: "sampai salah satu dari Anda mengakhirinya",
      ephemeral_until_session_closes: "sampai perundingan pertama selesai",
    },
    labels: {
      peer: "Dengan",
      for: "Untuk apa",
      lasts: "Berapa lama",
      relay: "Relai",
      keys: "Sidik kedua kunci",
      "safety number": "Nomor keamanan",
      goal: "Tujuan",
      "accepted when": "Diterima jika",
      turns: "Giliran, kedua pihak bersama",
      deadline: "Tenggat",
      "agents may": "Agen boleh",
      "humans must": "Hanya manusia boleh",
      "agents ask when": "Agen bertanya jika",
      "replaces agreement": "Menggantikan kesepakatan",
      deliverable: "Yang ditandatangani",
      sha256: "SHA-256 teksnya",
      bytes: "Panjang dalam bita",
      agreement: "Sidik kesepakatan",
      "valid until": "Berlaku sampai",
      text: "Teksnya, lengkap",
      "turns used": "Giliran terpakai",
      "turns allowed now": "Giliran yang diizinkan sekarang",
      "turns allowed then": "Giliran yang diizinkan nanti",
      "why it was stopped": "Mengapa dihentikan",
      "messages since you last decided something": "Pesan sejak Anda terakhir memutuskan sesuatu",
    },
  },
);
