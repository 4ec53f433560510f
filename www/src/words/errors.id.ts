import { type ERRORS as ENGLISH, each, FAULTS, MISUNDERSTOOD, NO_RECEIPT, type Saying } from "./errors.en.ts";

/** What the package says in English within a sentence. */
const DETAILS: { readonly [message: string]: string } = {
  "the digest is not that of the contents: something was changed":
    "sidiknya tidak cocok dengan isinya, jadi ada yang diubah",
  "the initiator did not sign this agreement": "pihak yang membuka perundingan tidak menandatangani kesepakatan ini",
  "the recipient did not sign this agreement": "pihak yang diajak berunding tidak menandatangani kesepakatan ini",
  "the second ratification came after the first one's offer had expired":
    "pengesahan kedua datang setelah tawaran pihak pertama berakhir",
  "normalise the text to Unicode NFC": "ubah teksnya ke bentuk Unicode NFC",
  "end lines with LF, not CR LF": "akhiri baris dengan LF, bukan CR LF",
  "remove the byte order mark": "buang tanda urutan bita di awal teks",
  "send one JSON object or array without duplicate keys": "kirim satu objek atau larik JSON tanpa kunci ganda",
  "give a name and a media type of 1 to 128 printable characters":
    "beri nama dan jenis media sepanjang 1 sampai 128 karakter yang dapat dicetak",
  "send the text itself": "kirim teksnya sendiri",
  "keep it below 1 MiB: a human has to read it": "buat lebih kecil dari 1 MiB, sebab harus dibaca manusia",
};

/** The rest as it is: a sentence of programs, for whoever is asked for help. */
function detail(message: string): string {
  return DETAILS[message] ?? message;
}

/** The same in Indonesian: the compiler sees to it that every code is here. */
export const ERRORS: { readonly [code in keyof typeof ENGLISH]: Saying } = {
  // --- what is not possible now
  bond_not_found: "Ikatan ini sudah tidak ada di sini. Halaman pertama menampilkan ikatan yang ada.",
  bond_not_active:
    "Ikatan ini tidak dapat dipakai: masih menunggu pihak lain, atau sudah berakhir. Tunggu, atau undang lagi.",
  bond_held: "Ikatan ini ditahan sampai Anda berdua membandingkan nomor keamanan. Bandingkan dulu.",
  scope_not_granted: "Ikatan ini tidak dibuat untuk itu. Undang pihak lain sekali lagi, dan izinkan hal itu.",
  profile_not_supported: "Program pihak lain belum bisa melakukan ini. Mungkin perlu versi yang lebih baru.",
  pair_not_found: "Undangan ini sudah tidak ada di sini. Buat yang baru.",
  code_word_unknown: (message: string) => {
    const [, position, nearest] = /word (\d+) .*"([a-z]+)"/.exec(message) ?? [];
    const hint = nearest
      ? `Kata ke-${position} dari kode tidak ada dalam daftar kami. Apakah “${nearest}”?`
      : "Salah satu kata dari kode tidak ada dalam daftar kami.";
    return `${hint} Belum ada yang terkirim, dan kesempatan menebak tidak berkurang.`;
  },
  code_malformed:
    "Ini bukan kode undangan. Bentuknya angka dengan kata-kata, enam angka, atau tautan: baca sekali lagi. Belum ada yang terkirim, dan kesempatan menebak tidak berkurang.",
  code_spent: "Kode ini sudah pernah dipakai di sini. Minta kode baru dari pihak lain.",
  pending_not_found: "Pertanyaan ini sudah tidak terbuka: sudah diputuskan, atau waktunya habis.",
  invalid_approval_code: "Kode persetujuan ini salah. Baca sekali lagi: kesalahan dihitung.",
  attempts_exhausted:
    "Terlalu banyak percobaan yang salah hari ini. Anda bisa memutuskan lagi besok, setelah tengah malam UTC.",
  pin_required: "Keputusan di sini memerlukan PIN Anda. Ketik PIN, lalu putuskan lagi.",
  invalid_pin: "PIN ini salah. Ketik sekali lagi: kesalahan dihitung.",
  loop_brake:
    "Pertukaran pada ikatan ini dihentikan sampai Anda mengizinkannya berlanjut. Putuskan yang menunggu Anda di sana.",
  not_now: (message: string) =>
    message.includes("memory")
      ? "Memori perangkat ini tidak cukup (64 MiB). Tutup halaman lain, lalu coba lagi."
      : "Ada yang harus selesai dulu: persetujuan terakhir Anda masih dalam perjalanan. Tunggu sebentar, lalu coba lagi.",
  session_not_found: "Perundingan ini sudah tidak ada di sini. Halaman ikatan menampilkan perundingan yang ada.",
  session_not_live: "Perundingan belum atau tidak lagi berada pada tahap ini. Lihat keadaannya sekarang.",
  session_not_signed: "Ini belum ditandatangani kedua pihak. Tunggu pihak lain.",
  thread_closed: "Percakapan ini sudah berakhir. Mulai yang baru.",
  budget_exhausted:
    "Semua giliran sudah terpakai, atau tambahan sudah diminta. Minta tambahan giliran, tanda tangani, atau tunggu jawabannya.",
  deadline_expired: "Tenggatnya, atau tawaran pihak lain, sudah lewat. Mulai perundingan baru.",
  artifact_not_found: "Teks usulan ini tidak ada di sini. Minta pihak lain mengusulkannya sekali lagi.",
  artifact_superseded:
    "Pihak lain sudah mengajukan teks lain sesudahnya. Baca teks itu, lalu terima atau jawab dengan teks lain.",
  agreement_mismatch:
    "Pihak lain menandatangani teks ini dengan syarat atau nama yang berbeda. Bandingkan syaratnya bersama, lalu usulkan lagi.",
  payload_too_large:
    "Ini terlalu besar: 10 MiB untuk pesan, 1 MiB untuk teks yang disepakati, 16 MiB untuk seluruh perundingan. Kirim lebih sedikit.",
  hash_frozen: "Kedua pihak sudah menandatangani teks lain. Sahkan teks itu, atau tutup perundingannya.",
  signature_pending: "Pihak lain belum mengonfirmasi tanda tangan terakhir Anda. Tunggu, lalu tanda tangani.",
  thread_limit: "Percakapan pada ikatan ini sudah terlalu banyak. Lanjutkan yang lama.",
  invalid_budget: "Jumlah giliran harus 1 sampai 1.000, dan lebih besar daripada sekarang. Pilih angka lain.",
  invalid_argument: (message: string) => `Ada isian yang tidak dapat dipakai (${detail(message)}).`,
  deliverable_not_canonical: (message: string) =>
    `Dengan teks ini kedua pihak tidak bisa yakin melihat hal yang sama. Cara memperbaikinya: ${detail(message)}.`,
  invalid_receipt: (message: string) =>
    message === NO_RECEIPT
      ? "Ini bukan tanda terima AgentPair. Pilih berkas yang diunduh sebagai tanda terima."
      : `Tanda terima ini tidak membuktikan apa-apa: ${detail(message)}. Jangan mengandalkannya.`,
  receipt_not_found: "Belum ada tanda terima: kedua pihak harus mengesahkan dulu.",
  invalid_audit: "Catatan ini diubah, atau sebagian hilang. Catatan ini tidak membuktikan apa-apa.",

  // --- this browser
  clock_skew: (message: string) => {
    const minutes = Math.round(Number(message) / 60);
    return `Jam perangkat ini sekitar ${Math.abs(minutes)} menit lebih ${minutes > 0 ? "lambat" : "cepat"} daripada jam relai. Betulkan jamnya: dengan jam yang salah, pesan ditolak dan undangan berakhir pada waktu yang keliru.`;
  },
  timeout: "Tidak ada jawaban pada waktunya. Coba lagi; yang sedang berjalan tetap berlanjut otomatis.",
  host_closed: "Halaman ini melepaskan datanya, mungkin untuk tab lain. Muat ulang halaman ini.",
  storage_unavailable: (message: string) =>
    message.includes("http:")
      ? "Halaman ini datang lewat http biasa, dan di situ peramban tidak melindungi kunci. Buka dengan https."
      : "Peramban ini tidak mengizinkan halaman menyimpan apa pun, jadi kunci Anda tidak punya tempat. Jendela pribadi sering begitu: pakai jendela biasa, atau izinkan halaman ini menyimpan data.",
  core_failed: "Bagian yang mengenkripsi tidak dapat dimuat: apakah ada koneksi? Muat ulang halaman ini.",
  storage_full:
    "Tempat penyimpanan habis, jadi hal ini tidak dilakukan. Kosongkan sebagian ruang di perangkat ini, lalu coba lagi.",
  store_gone:
    "Yang disimpan halaman ini sudah hilang: dihapus oleh peramban atau oleh seseorang. Jika ada cadangan, pulihkan; jika tidak, mulai dari awal dan beri tahu pihak lain.",
  store_too_new:
    "Data ini disimpan oleh versi halaman yang lebih baru. Muat ulang halaman; jika tidak membantu, pakai versi yang lebih baru.",
  store_corrupt: "Yang disimpan halaman ini rusak, dan tidak ada yang diubah. Pulihkan cadangan, jika ada.",
  corrupt_record: "Yang disimpan halaman ini rusak, dan tidak ada yang diubah. Pulihkan cadangan, jika ada.",
  store_failed:
    "Peramban tidak dapat menyimpan ini, jadi hal ini tidak dilakukan. Muat ulang halaman, lalu coba sekali lagi.",
  safety_unavailable:
    "Memori perangkat ini tidak cukup untuk menghitung nomornya (64 MiB). Tutup halaman lain dan coba lagi, atau bandingkan dengan kode QR.",
  no_memory: "Memori perangkat ini tidak cukup. Tutup halaman lain, lalu coba lagi.",
  wrong_passphrase: "Ini bukan frasa sandi cadangan itu. Ketik sekali lagi: huruf besar dan spasi berpengaruh.",
  backup_damaged: "Cadangan ini rusak atau tidak lengkap, dan tidak ada yang dipulihkan. Pakai salinan lainnya.",
  backup_too_new: "Cadangan ini dibuat oleh versi yang lebih baru. Pakai versi itu untuk memulihkannya.",
  no_backup: "Berkas ini bukan cadangan AgentPair. Pilih berkas lain.",
  store_not_empty:
    "Di sini sudah ada data, dan pemulihan akan menggantinya. Hapus dulu data peramban ini, di pengaturan.",
  store_in_use: "Halaman ini terbuka di tab lain. Tutup semua tab lain dari halaman ini, lalu coba lagi.",
  wipe_pending:
    "Penghapusan sudah dimulai dan tidak dapat dihentikan: tab lain, mungkin yang sedang tidur, masih memegang datanya, dan data itu terhapus begitu tab tersebut ditutup. Tutup semua tab lain dari halaman ini, dan jangan lakukan apa pun di sini sebelum itu: semuanya akan hilang.",
  no_store: "Belum ada yang disimpan di peramban ini.",
  not_ours: "Yang disimpan di sini dengan nama ini bukan milik AgentPair, dan tidak ada yang diubah.",
  file_failed: "Berkas tidak dapat dibaca atau ditulis. Coba lagi, mungkin di tempat lain.",
  directory_not_empty:
    "Di sini sudah ada data, dan pemulihan akan menggantinya. Hapus dulu data peramban ini, di pengaturan.",
  vault_locked: "Kunci di sini terkunci, dan halaman ini tidak dapat membukanya. Pulihkan cadangan Anda.",
  camera_denied:
    "Halaman ini tidak boleh memakai kamera. Izinkan di pengaturan peramban untuk halaman ini, atau ketik kodenya.",
  camera_missing: "Kamera tidak ditemukan, atau sedang dipakai program lain. Ketik saja kodenya.",
  core_unreachable:
    "Bagian halaman ini yang mengenkripsi tidak dapat dimuat. Periksa koneksi, lalu muat ulang halaman.",
  no_wasm:
    "Peramban ini tidak menjalankan bagian halaman yang mengenkripsi (WebAssembly). Perbarui peramban, atau izinkan WebAssembly untuk halaman ini: mode penguncian mematikannya.",
  unexpected: (message: string) =>
    `Terjadi kesalahan yang tidak semestinya (${detail(message)}). Muat ulang halaman; jika terulang, laporkan.`,

  // --- the relay
  relay_unreachable:
    "Relai tidak menjawab. Periksa koneksi; jika baik-baik saja, mungkin relai sedang mati: coba lagi nanti.",
  no_answer: "Relai tidak menjawab. Ini dicoba lagi secara otomatis; periksa koneksi.",
  relay_nonsense: "Yang menjawab di alamat relai bukanlah relai. Periksa alamatnya.",
  nonsense: "Yang menjawab di alamat relai bukanlah relai. Periksa alamatnya.",
  not_found: "Tidak ada relai di alamat ini. Periksa alamatnya.",
  bad_challenge:
    "Relai ini meminta tanda tangan yang tidak boleh dimilikinya, dan tidak mendapatkannya. Jangan percayai relai ini: pakai yang lain.",
  internal: "Ada yang rusak di relai. Coba lagi; jika tetap begitu, beri tahu pengelolanya.",
  relay_misconfigured: "Relai ini tidak diatur dengan benar. Beri tahu pengelolanya, atau pakai yang lain.",
  unavailable: "Relai sedang tidak dapat menerima ini. Ini dicoba lagi secara otomatis.",
  rate_limit_exceeded: "Terlalu banyak permintaan ke relai dari jaringan Anda. Tunggu beberapa menit, lalu coba lagi.",
  inbox_full: "Kotak masuk pihak lain di relai penuh. Ini dicoba lagi secara otomatis; minta mereka membuka AgentPair.",
  quota_exceeded:
    "Ruang Anda untuk teks besar di relai sudah habis. Ruang itu kosong lagi dalam seminggu; sampai saat itu kirim lebih sedikit.",
  registration_closed:
    "Relai ini hanya menerima orang yang dikenal pengelolanya. Hubungi pengelolanya, atau pakai relai lain.",
  invite_taken: "Undangan lain sedang memakai nama ini. Buat yang baru.",
  ...each(
    MISUNDERSTOOD,
    "Halaman ini dan relai tidak saling memahami. Muat ulang halaman; mungkin salah satunya terlalu lama.",
  ),
  ...each(FAULTS, "Itu kesalahan halaman ini. Muat ulang; jika terulang, laporkan."),
};
