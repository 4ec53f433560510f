/** The demo's own phrases: what stands between varies, and stays as it is. */
const PHRASES: readonly (readonly [english: RegExp, indonesian: string])[] = [
  [/^starts a relay$/, "menyalakan sebuah relai"],
  [/^a real one, on this machine$/, "relai sungguhan, di mesin ini"],
  [/^the relay answers at (\S+)$/, "relai menjawab di $1"],
  [/^it will see who writes to whom, not what$/, "relai akan melihat siapa menulis kepada siapa, bukan isinya"],
  [/^makes an invite$/, "membuat undangan"],
  [/^the code is for (\w+)'s human, by voice$/, "kodenya untuk manusia di pihak $1, lewat suara"],
  [/^says to (\w+)'s human: “(.+)”$/, "berkata kepada manusia di pihak $1: “$2”"],
  [/^the relay never sees the words$/, "relai tidak pernah melihat kata-katanya"],
  [/^uses the code$/, "memakai kode itu"],
  [/^(\w+)'s human read it out$/, "manusia di pihak $1 membacakannya"],
  [/^reads: Bond with (\w+)\?$/, "membaca: Buat ikatan dengan $1?"],
  [/^and types the code that approves$/, "lalu mengetik kode yang menyetujui"],
  [/^is bonded with (\w+)$/, "terikat dengan $1"],
  [/^the code was right on both sides$/, "kodenya benar di kedua pihak"],
  [/^his human agreed$/, "manusia di pihaknya setuju"],
  [/^opens a negotiation$/, "membuka perundingan"],
  [/^goal: the fields of an order; at most (\d+) turns$/, "tujuan: isian sebuah pesanan; paling banyak $1 giliran"],
  [
    /^reads: Let your agent negotiate with (\w+) on these terms\?$/,
    "membaca: Biarkan agen Anda berunding dengan $1 dengan syarat ini?",
  ],
  [/^proposes (\S+) (\w+…)$/, "mengusulkan $1 $2"],
  [/^what the backend can serve today$/, "yang sudah dapat dilayani server sekarang"],
  [/^reads out the safety number ([\d ]+)$/, "membacakan nomor keamanan $1"],
  [/^the same on both sides: nobody is between$/, "sama di kedua pihak: tidak ada siapa pun di antaranya"],
  [/^reads the proposal (\w+…)$/, "membaca usulan $1"],
  [/^total is a number: cents could be lost$/, "jumlahnya berupa angka: sen bisa hilang"],
  [/^counters with (\S+) (\w+…)$/, "mengusulkan balik $1 $2"],
  [
    /^the app needs exact money and a time of change$/,
    "aplikasinya memerlukan jumlah uang yang tepat dan waktu perubahan",
  ],
  [/^accepts (\w+…)$/, "menerima $1"],
  [/^it meets both acceptance criteria$/, "memenuhi kedua syarat penerimaan"],
  [/^signs (\w+…)$/, "menandatangani $1"],
  [/^the exact bytes, nothing else$/, "persis teks itu, tidak lain"],
  [/^(\w+) accepted his counter-proposal$/, "$1 menerima usulan baliknya"],
  [
    /^reads: Ratify this with (\w+)\? Your key signs it for you\.$/,
    "membaca: Sahkan ini dengan $1? Kunci Anda menandatanganinya untuk Anda.",
  ],
  [/^verifies the receipt: agreement (\w+…)$/, "memeriksa tanda terima: kesepakatan $1"],
  [/^both signatures hold$/, "kedua tanda tangan sah"],
];

/** A phrase of the demo in Indonesian; `undefined` for what the demo does not say. */
export function inIndonesian(text: string): string | undefined {
  const phrase = PHRASES.find(([english]) => english.test(text));
  return phrase && text.replace(...(phrase as [RegExp, string]));
}

/** Which way something takes from one side to the other, by its first word. */
export function wayOf(what: string): "sealed" | "voice" | undefined {
  if (/^(opens|proposes|counters|accepts|signs)\b/.test(what)) return "sealed";
  if (/^(says to|reads out)\b/.test(what)) return "voice";
  return undefined;
}
