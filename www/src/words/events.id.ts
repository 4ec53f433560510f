import type * as english from "./events.en.ts";

type Same<T> = { readonly [code in keyof T]: string };

/** How pairings end. */
export const OUTCOMES: Same<typeof english.OUTCOMES> = {
  bonded: "Anda berdua sudah terikat.",
  pake_failed:
    "Kodenya salah, atau ada yang mencoba masuk di antara Anda. Tidak ada ikatan, dan kode ini tidak berlaku lagi. Buat undangan baru.",
  bond_tag_mismatch: "Penyandingan tidak berakhir dengan benar. Tidak ada ikatan. Buat undangan baru.",
  bond_aborted: "Pihak lain berhenti sebelum selesai. Tidak ada ikatan. Buat undangan baru.",
  rejected: "Pihak lain menolak. Tidak ada ikatan. Jika itu mengejutkan, tanyakan kepada mereka.",
  approval_declined: "Anda menolak. Tidak ada ikatan.",
  withdrawn: "Anda menarik undangan ini. Kodenya tidak berlaku lagi.",
  claimed_by_stranger:
    "Ada yang memakai undangan ini tanpa mengetahui kodenya. Undangan baru berupa tautan menggantikannya: kirim tautan itu kepada pihak lain.",
  pair_session_lost: "Pihak lain tidak selesai pada waktunya. Tidak ada ikatan. Buat undangan baru.",
  invite_expired: "Tidak ada yang selesai dengan kode ini pada waktunya. Buat undangan baru, atau minta kode baru.",
  invite_not_found:
    "Relai tidak mengenal undangan ini. Pastikan kodenya benar, dan Anda berdua memakai relai yang sama.",
  invite_claimed:
    "Kode ini sudah dipakai seseorang. Jika bukan Anda, beri tahu pihak lain; bagaimanapun, minta kode baru.",
  invalid_invite:
    "Undangan di relai tidak sama dengan yang ditandatangani pembuatnya. Tidak ada ikatan. Minta yang baru.",
  relay_has_no_invites: "Relai ini tidak melayani undangan. Pakai relai lain.",
  bond_incomplete: "Pihak lain tidak pernah berbicara, jadi ikatan ini dilepas. Buat undangan baru.",
};

/** Why a bond or a negotiation is over. */
export const REASONS: Same<typeof english.REASONS> = {
  bond_incomplete: "Pihak lain tidak pernah berbicara.",
  ephemeral_ended: "Ikatan ini untuk satu perundingan, dan perundingan itu sudah selesai.",
  ephemeral_unused: "Ikatan ini untuk satu perundingan, dan dalam sehari tidak ada yang dimulai.",
  open_rejected: "Pihak yang diajak tidak mau berunding tentang ini.",
  open_expired: "Tidak ada keputusan tepat waktu apakah perundingan dimulai.",
  deadline_expired: "Tenggatnya lewat.",
  ratify_rejected: "Salah satu pihak tidak mengesahkan teksnya.",
  ratify_expired: "Teks tidak disahkan oleh kedua pihak tepat waktu.",
  bond_revoked: "Ikatannya diakhiri.",
  thread_closed: "Salah satu pihak menutupnya.",
  refused_by_peer: "Pihak lain tidak mengenal perundingan ini, mungkin karena kehilangan data.",
  undeliverable: "Sebagian isinya tidak dapat dikirim tepat waktu.",
  safety_number_differs: "Nomor keamanan kedua pihak berbeda.",
  restored: "Salah satu pihak kembali ke cadangan: yang dibahas sejak itu hilang di sana.",
};

/** Why something that one side sent was refused by the other. */
export const REFUSED: Same<typeof english.REFUSED> = {
  envelope_too_large: "Ukurannya terlalu besar.",
  unsupported_version: "Versinya tidak dikenal: salah satu dari Anda harus memperbarui.",
  invalid_json: "Isinya tidak terbaca.",
  version_mismatch: "Keterangan versinya saling bertentangan.",
  recipient_not_allowed: "Penerima tidak atau tidak lagi menerima pesan pada ikatan ini.",
  invalid_signature: "Tanda tangannya salah: mungkin ada yang memalsukannya.",
  routing_mismatch: "Alamatnya bukan untuk penerima ini.",
  stale_seq: "Datangnya tidak berurutan.",
  envelope_expired: "Datangnya terlambat. Jika sering terjadi, ada jam yang salah.",
  replayed_nonce: "Pesan ini sudah pernah datang.",
  stale_timestamp: "Terlalu lama untuk dapat diperiksa. Jika sering terjadi, ada jam yang salah.",
  invalid_payload: "Tidak dapat dibuka atau dipahami: mungkin salah satu dari Anda harus memperbarui.",
  unsupported_envelope_type: "Jenisnya tidak dikenal: salah satu dari Anda harus memperbarui.",
  profile_not_supported: "Ikatan ini tidak dibuat untuk jenis seperti itu.",
  not_a_participant: "Pengirimnya tidak ikut dalam percakapan ini.",
  thread_limit: "Terlalu banyak yang menunggu pada ikatan ini.",
  bond_held: "Ikatan ditahan sampai Anda berdua membandingkan nomor keamanan.",
  scope_not_granted: "Ikatan ini tidak dibuat untuk itu.",
  session_not_found: "Penerima tidak mengenal perundingan ini.",
  wrong_role: "Hanya pihak yang satunya yang boleh melakukannya.",
  thread_closed: "Percakapannya sudah berakhir.",
  session_not_live: "Perundingan tidak berada pada tahap untuk itu.",
  session_not_signed: "Belum kedua pihak menandatangani.",
  budget_exhausted: "Semua giliran sudah terpakai.",
  initiator_mismatch: "Anda berdua sama-sama membuka percakapan ini.",
  agreement_mismatch: "Kedua pihak memaksudkan syarat atau teks yang berbeda.",
  hash_frozen: "Kedua pihak sudah menandatangani teks lain.",
  not_approved:
    "Persetujuan yang dijanjikan manusia di pihak ini tidak ada. Tanyakan kepadanya: mungkin ada yang memalsukan.",
  ratify_expired: "Disahkan setelah tawarannya berakhir.",
  thread_stalled: "Terlalu banyak bagian percakapan ini menunggu sebuah teks besar.",
  artifact_not_found: "Teks besar miliknya sudah tidak ada di relai, dan harus dikirim lagi.",
  artifact_too_large: "Teks miliknya terlalu besar.",
  artifact_decrypt_failed: "Teks besar miliknya datang dalam keadaan rusak, dan harus dikirim lagi.",
  payload_too_large: "Terlalu besar untuk relai.",
  unacknowledged: "Sudah lima kali dikirim, tidak pernah dikonfirmasi. Tanyakan kepada pihak lain.",
  bond_revoked: "Ikatannya berakhir sebelum pesan ini terkirim.",
  refused: "Alasan dari pihak lain tidak dipahami di sini.",
};

/** How far a message of one's own came. */
export const DELIVERY: Same<typeof english.DELIVERY> = {
  queued: "Menunggu dikirim",
  relayed: "Di relai, belum diambil",
  delivered: "Sampai",
  expired: "Tidak diambil pada waktunya. Kirim lagi jika masih perlu.",
  refused: "Tidak diterima.",
};
