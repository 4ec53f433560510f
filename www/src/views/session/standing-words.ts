import { words } from "../../words/language.ts";
import type { Standing } from "./standing.ts";

type Sentences = { readonly [at in Standing]: (name: string) => string };

const ENGLISH: Sentences = {
  asked: (name) => `${name} is asked whether to negotiate about this.`,
  asks: (name) => `${name} asks to negotiate. You decide whether it begins.`,
  begin: (name) => `${name} said yes. Write the first text.`,
  they_begin: (name) => `It has begun. ${name} writes the first text.`,
  your_turn: (name) => `Your turn: ${name} put a text forward.`,
  their_turn: (name) => `It is ${name}'s turn.`,
  you_accepted: () => "You accepted the text. Your signature is still missing.",
  they_accepted: (name) => `${name} accepted the text. Sign it, if you want it too.`,
  you_signed: (name) => `You signed. ${name} has not signed the same text yet.`,
  they_signed: (name) => `${name} signed a text. Sign it, or answer with another one.`,
  no_turns: () => "No turns are left. Sign what is on the table, or ask for more turns.",
  ratify: () => "Both signed the same text. It counts when both of you ratify it.",
  they_ratified: (name) => `${name} ratified the text. It counts when you ratify it too.`,
  you_ratified: (name) => `You ratified the text. It counts when ${name} ratifies it too.`,
  agreed: (name) => `You and ${name} agreed.`,
  ended: () => "Ended without an agreement.",
};

const INDONESIAN: Sentences = {
  asked: (name) => `${name} sedang ditanya apakah mau berunding tentang ini.`,
  asks: (name) => `${name} mengajak berunding. Anda yang memutuskan apakah ini dimulai.`,
  begin: (name) => `${name} setuju berunding. Tulis teks pertama.`,
  they_begin: (name) => `Perundingan dimulai. ${name} menulis teks pertama.`,
  your_turn: (name) => `Giliran Anda: ${name} mengajukan sebuah teks.`,
  their_turn: (name) => `Sekarang giliran ${name}.`,
  you_accepted: () => "Anda menerima teksnya. Tanda tangan Anda belum ada.",
  they_accepted: (name) => `${name} menerima teksnya. Tanda tangani jika Anda juga mau.`,
  you_signed: (name) => `Anda sudah tanda tangan. ${name} belum menandatangani teks yang sama.`,
  they_signed: (name) => `${name} menandatangani sebuah teks. Tanda tangani juga, atau jawab dengan teks lain.`,
  no_turns: () => "Giliran sudah habis. Tanda tangani teks terakhir, atau minta tambahan giliran.",
  ratify: () => "Keduanya menandatangani teks yang sama. Teks berlaku jika Anda berdua mengesahkannya.",
  they_ratified: (name) => `${name} sudah mengesahkan teksnya. Teks berlaku jika Anda juga mengesahkannya.`,
  you_ratified: (name) => `Anda sudah mengesahkan teksnya. Teks berlaku jika ${name} juga mengesahkannya.`,
  agreed: (name) => `Anda dan ${name} sudah sepakat.`,
  ended: () => "Berakhir tanpa kesepakatan.",
};

/** Where a negotiation stands, in a sentence. */
export const standingRoom = words(ENGLISH, INDONESIAN);
