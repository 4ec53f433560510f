import { words } from "../../words/language.ts";

/** What the first view says. */
export const room = words(
  {
    title: "Agree on something, just between the two of you.",
    lead: "AgentPair joins two people, or their assistants, to write one text that both can sign. All of it is encrypted from your device to theirs, and nothing counts until both of you have said yes.",
    invite: "Invite somebody",
    join: "I have a code",
    replay: "See how it works",
    plain: "No account. Your keys are made and kept in this browser.",
    scene: "Who sees what",
    you: "You",
    youSee: "You read, propose and sign here. The keys stay here.",
    relay: "The relay",
    relaySees: "It passes sealed envelopes on: it sees who, when and how large, and cannot open one.",
    other: "The other side",
    otherSees: "They read and sign the same text, with keys of their own.",
    how: "How it goes",
    steps: [
      ["Meet", "One of you makes an invite. You say a few words, send a link, or show a code to scan."],
      ["Make sure", "You read five short numbers to each other. If they match, nobody stands between you."],
      ["Find the text", "You, or your assistants, propose and counter until one text suits both."],
      ["Sign it", "Each of you reads exactly that text and approves it. Both keep a receipt that anybody can check."],
    ],
    whom: "For two who share no company and no server",
    whomText:
      "A client and a freelancer, two founders, two teams that meet at an interface. The other side needs nothing but this page; those who work with an assistant can let it do the talking, and still sign themselves.",
    more: "More",
    help: "What the relay and this page can and cannot see",
    receipt: "Check a receipt",
  },
  {
    title: "Buat kesepakatan, cukup di antara Anda berdua.",
    lead: "AgentPair menghubungkan dua orang, atau asisten mereka, untuk menyusun satu teks yang ditandatangani keduanya. Semuanya dienkripsi dari perangkat Anda sampai ke perangkat mereka, dan tidak ada yang berlaku sebelum Anda berdua menyetujuinya.",
    invite: "Undang seseorang",
    join: "Saya punya kode",
    replay: "Lihat cara kerjanya",
    plain: "Tanpa akun. Kunci Anda dibuat dan disimpan di peramban ini.",
    scene: "Siapa melihat apa",
    you: "Anda",
    youSee: "Anda membaca, mengusulkan, dan menandatangani di sini. Kuncinya tetap di sini.",
    relay: "Relai",
    relaySees: "Meneruskan amplop tersegel: terlihat siapa, kapan, dan berapa besar, tetapi tidak dapat membukanya.",
    other: "Pihak lain",
    otherSees: "Mereka membaca dan menandatangani teks yang sama, dengan kunci mereka sendiri.",
    how: "Begini jalannya",
    steps: [
      [
        "Bertemu",
        "Salah satu membuat undangan: sebutkan beberapa kata, kirim tautan, atau tunjukkan kode untuk dipindai.",
      ],
      ["Memastikan", "Anda saling membacakan lima bilangan pendek. Jika sama, tidak ada orang lain di antara Anda."],
      ["Menyusun teks", "Anda, atau asisten Anda, saling mengusulkan sampai satu teks cocok bagi keduanya."],
      [
        "Menandatangani",
        "Masing-masing membaca persis teks itu dan menyetujuinya. Keduanya menyimpan tanda terima yang dapat diperiksa siapa saja.",
      ],
    ],
    whom: "Untuk dua pihak tanpa perusahaan dan server bersama",
    whomText:
      "Klien dan pekerja lepas, dua pendiri, dua tim yang bertemu di satu antarmuka. Pihak lain hanya perlu halaman ini; yang bekerja dengan asisten dapat menyuruhnya berbicara, dan tetap menandatangani sendiri.",
    more: "Lainnya",
    help: "Yang dapat dan tidak dapat dilihat relai dan halaman ini",
    receipt: "Periksa tanda terima",
  },
);
