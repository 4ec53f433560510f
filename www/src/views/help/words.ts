import { words } from "../../words/language.ts";

/** A row of what somebody sees, and what not. */
export type Sight = readonly [what: string, relay: boolean, other: boolean];
/** A question and the paragraphs that answer it. */
export type Answer = readonly [question: string, ...paragraphs: string[]];

const ENGLISH = {
  title: "What is seen, kept and proved",
  lead: "Short answers to what you should know before you rely on this page. Where the protection ends is said too.",
  table: "Who can see what",
  what: "What",
  relay: "The relay",
  other: "The other side",
  yes: "sees it",
  no: "cannot see it",
  sights: [
    ["What you write, propose and agree on", false, true],
    ["Your invite code", false, true],
    ["Your secret keys", false, false],
    ["The names that you give to others", false, false],
    ["Which inbox is written to, by which sender, when", true, true],
    ["How large it is, and of which kind (a message, a proposal, a signature)", true, true],
    ["The network address of your device", true, false],
  ] as readonly Sight[],
  tableNote:
    "The relay can also lose things, delay them, or stay silent. It cannot change a message or write one in your name: the signature would not hold.",
  questions: "Questions",
  answers: [
    [
      "Who do I have to trust?",
      "Your device, your browser, and whoever serves this page: they are trusted like the maker of any software you run. A page that was altered could show you one thing and sign another, or read along. If that matters, get the page from a place that you trust, compare its published digest, or serve it yourself: it is a folder of files.",
      "The relay is not trusted with anything but passing things on. The other side is trusted with nothing but its own words.",
    ],
    [
      "What is a bond?",
      "The connection between you and one other side. It is made once, from an invite, when both of you approve, and has keys of its own. Over it you write to each other, negotiate and agree.",
      "Either of you can revoke it at any time. Agreements that were made on it stay valid.",
    ],
    [
      "What is a safety number?",
      "It is made from both sides' keys, and is the same on both sides only if you really hold each other's keys. Read it to each other, over the phone or face to face: somebody who stood between you could not make the numbers match.",
      "If they differ, somebody may be in between. Revoke the bond, and make a new invite another way.",
      "It says nothing about who the person is. That is for your ears and eyes.",
    ],
    [
      "What does it mean to ratify?",
      "You read the exact text and its terms, and your key signs them. It counts when both of you have done that. Nothing that the other side sends, and no assistant, can do it for you on this page.",
      "Whoever ratifies second decides last, and could state an earlier time than is true. If it must be certain that nothing can come into being afterwards, do not ratify first.",
    ],
    [
      "What does a receipt prove?",
      "That the holders of two keys signed exactly this text under exactly these terms. Anybody can check it, without asking us or the relay.",
      "It does not prove whose keys these are, when it was signed, that a person read it, or that no later agreement replaced it. Whether it binds anybody in law is not for this page to say.",
    ],
    [
      "What is kept in this browser, and how can I lose it?",
      "Your keys, bonds, messages, agreements and receipts are in this browser's storage, and nowhere else. The keys are wrapped with a key that this browser does not hand out; the rest is as readable as your other browser data to whoever uses this device as you.",
      "They are gone when you clear the data of this site, when the browser evicts them because space is short, when a private window closes, or with the device. Make a backup in the settings, and keep its passphrase elsewhere: without it nobody can open the backup.",
      "To remove everything, use “Wipe everything” in the settings. It does not tell the other side: revoke your bonds first.",
    ],
    [
      "Can the other side trick this page?",
      "What it wrote stands in a frame that says so, as plain text, with hidden characters made visible. It can still write things that are not true: that a message is truly theirs does not make it a true one.",
      "It can be slow, silent, or rude, and it can keep what you sent. Revoke the bond when you have had enough.",
    ],
    [
      "What about old messages, if a key is stolen?",
      "Then they can be read, by somebody who also recorded them on the way: there is no forward secrecy. Each bond has keys of its own, so it is that bond only. Keys are erased when a bond ends.",
    ],
    [
      "What does this not do?",
      "It does not hide that you talk to each other, when, or how much. It does not make you anonymous to the relay. It does not check names. It cannot make the relay, or the other side, answer.",
      "Not there yet: privacy zones, tests that check a text by themselves, changing the keys of a bond, and approving on a second device.",
    ],
  ] as readonly Answer[],
  check: "Check a receipt",
  replay: "See an example, step by step",
};

/** What the help says. */
export const room = words(ENGLISH, {
  title: "Apa yang terlihat, disimpan, dan dibuktikan",
  lead: "Jawaban singkat atas hal yang perlu Anda ketahui sebelum mengandalkan halaman ini. Batas perlindungannya juga disebut.",
  table: "Siapa dapat melihat apa",
  what: "Apa",
  relay: "Relai",
  other: "Pihak lain",
  yes: "melihatnya",
  no: "tidak dapat melihatnya",
  sights: [
    ["Yang Anda tulis, usulkan, dan sepakati", false, true],
    ["Kode undangan Anda", false, true],
    ["Kunci rahasia Anda", false, false],
    ["Nama yang Anda berikan kepada orang lain", false, false],
    ["Kotak masuk mana yang ditulisi, oleh pengirim mana, kapan", true, true],
    ["Berapa besarnya, dan jenisnya (pesan, usulan, tanda tangan)", true, true],
    ["Alamat jaringan perangkat Anda", true, false],
  ],
  tableNote:
    "Relai juga bisa menghilangkan, menunda, atau diam saja. Relai tidak dapat mengubah pesan atau menulis atas nama Anda: tanda tangannya tidak akan cocok.",
  questions: "Pertanyaan",
  answers: [
    [
      "Siapa yang harus saya percayai?",
      "Perangkat Anda, peramban Anda, dan siapa pun yang menyajikan halaman ini: mereka dipercaya seperti pembuat perangkat lunak mana pun yang Anda jalankan. Halaman yang diubah bisa menampilkan satu hal dan menandatangani hal lain, atau ikut membaca. Jika itu penting, ambil halaman ini dari tempat yang Anda percayai, bandingkan sidiknya yang diumumkan, atau sajikan sendiri: halaman ini hanyalah sebuah folder berkas.",
      "Relai dipercaya hanya untuk meneruskan. Pihak lain tidak dipercaya untuk apa pun selain kata-katanya sendiri.",
    ],
    [
      "Apa itu ikatan?",
      "Sambungan antara Anda dan satu pihak lain. Ikatan dibuat sekali, dari sebuah undangan, ketika Anda berdua menyetujuinya, dan punya kunci sendiri. Di sana Anda saling menulis, berunding, dan bersepakat.",
      "Masing-masing dapat mengakhirinya kapan saja. Kesepakatan yang sudah dibuat tetap sah.",
    ],
    [
      "Apa itu nomor keamanan?",
      "Nomor ini dibuat dari kunci kedua pihak, dan hanya sama jika Anda memang saling memegang kunci yang benar. Bacakan satu sama lain, lewat telepon atau bertatap muka: orang yang berdiri di antara Anda tidak dapat membuat nomornya sama.",
      "Jika berbeda, mungkin ada orang di antara Anda. Akhiri ikatan itu, dan buat undangan baru dengan cara lain.",
      "Nomor ini tidak mengatakan siapa orangnya. Itu tugas telinga dan mata Anda.",
    ],
    [
      "Apa artinya mengesahkan?",
      "Anda membaca persis teks itu beserta syaratnya, lalu kunci Anda menandatanganinya. Baru berlaku setelah Anda berdua melakukannya. Di halaman ini, tidak ada kiriman pihak lain dan tidak ada asisten yang dapat melakukannya untuk Anda.",
      "Yang mengesahkan kedua memutuskan terakhir, dan bisa saja menyebut waktu yang lebih awal daripada sebenarnya. Jika harus pasti bahwa tidak ada kesepakatan yang muncul belakangan, jangan mengesahkan lebih dulu.",
    ],
    [
      "Apa yang dibuktikan tanda terima?",
      "Bahwa pemegang dua kunci menandatangani persis teks ini dengan persis syarat-syarat ini. Siapa saja dapat memeriksanya, tanpa bertanya kepada kami atau relai.",
      "Tanda terima tidak membuktikan milik siapa kunci itu, kapan ditandatangani, bahwa seseorang membacanya, atau bahwa tidak ada kesepakatan baru yang menggantikannya. Apakah mengikat secara hukum, bukan halaman ini yang menentukan.",
    ],
    [
      "Apa yang disimpan di peramban ini, dan bagaimana bisa hilang?",
      "Kunci, ikatan, pesan, kesepakatan, dan tanda terima Anda ada di penyimpanan peramban ini, dan tidak di tempat lain. Kuncinya dibungkus dengan kunci yang tidak diserahkan oleh peramban ini; selebihnya dapat dibaca seperti data peramban Anda yang lain oleh siapa pun yang memakai perangkat ini sebagai Anda.",
      "Semuanya hilang jika Anda menghapus data situs ini, jika peramban membuangnya karena ruang sempit, jika jendela pribadi ditutup, atau bersama perangkatnya. Buat cadangan di pengaturan, dan simpan frasa sandinya di tempat lain: tanpa itu tidak seorang pun dapat membuka cadangannya.",
      "Untuk menghapus semuanya, pakai “Hapus semuanya” di pengaturan. Pihak lain tidak diberi tahu: akhiri dulu ikatan Anda.",
    ],
    [
      "Bisakah pihak lain mengelabui halaman ini?",
      "Tulisannya berada dalam bingkai yang menyatakan hal itu, sebagai teks biasa, dengan karakter tersembunyi dibuat terlihat. Pihak lain tetap bisa menulis hal yang tidak benar: pesan yang memang darinya belum tentu benar isinya.",
      "Pihak lain bisa lambat, diam, atau kasar, dan bisa menyimpan yang Anda kirim. Akhiri ikatannya jika sudah cukup.",
    ],
    [
      "Bagaimana dengan pesan lama, jika kunci dicuri?",
      "Pesan itu dapat dibaca oleh orang yang juga merekamnya di perjalanan: tidak ada kerahasiaan ke depan. Tiap ikatan punya kunci sendiri, jadi hanya ikatan itu. Kunci dihapus ketika ikatan berakhir.",
    ],
    [
      "Apa yang tidak dilakukan halaman ini?",
      "Halaman ini tidak menyembunyikan bahwa Anda saling berbicara, kapan, atau seberapa banyak. Tidak membuat Anda anonim bagi relai. Tidak memeriksa nama. Tidak dapat memaksa relai atau pihak lain menjawab.",
      "Belum ada: zona privasi, uji yang memeriksa teks dengan sendirinya, penggantian kunci sebuah ikatan, dan persetujuan di perangkat kedua.",
    ],
  ],
  check: "Periksa tanda terima",
  replay: "Lihat contoh, langkah demi langkah",
});
