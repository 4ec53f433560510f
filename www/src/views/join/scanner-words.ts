import type { ScanFault } from "../../scan.ts";
import { words } from "../../words/language.ts";

interface ScannerWords {
  title: string;
  starting: string;
  looking: string;
  video: string;
  private: string;
  stop: string;
  close: string;
  again: string;
  picture: string;
  pictureHint: string;
  reading: string;
  faults: Record<ScanFault, string>;
}

export const room = words<ScannerWords>(
  {
    title: "Scan",
    starting: "The camera is being opened. Your browser may ask you.",
    looking: "Looking for a QR code…",
    video: "What the camera sees",
    private: "The pictures stay on this device.",
    stop: "Stop the camera",
    close: "Close",
    again: "Try the camera again",
    picture: "Or choose a picture with the code",
    pictureHint: "A screenshot or a photo.",
    reading: "Looking at the picture…",
    faults: {
      denied:
        "The camera is not allowed here. Allow it in the settings of your browser for this page, choose a picture, or type the code.",
      no_camera: "There is no camera on this device. Choose a picture, or type the code.",
      busy: "The camera does not start: another program may be using it. Close that, choose a picture, or type the code.",
      insecure:
        "This page was not opened over https: browsers give no camera then. Choose a picture, or type the code.",
      no_picture: "There is no QR code to be seen in this file. Try one that is sharper, and shows the whole code.",
    },
  },
  {
    title: "Pindai",
    starting: "Kamera sedang dibuka. Peramban Anda mungkin bertanya.",
    looking: "Mencari kode QR…",
    video: "Yang dilihat kamera",
    private: "Gambarnya tetap di perangkat ini.",
    stop: "Hentikan kamera",
    close: "Tutup",
    again: "Coba kamera lagi",
    picture: "Atau pilih gambar yang memuat kodenya",
    pictureHint: "Tangkapan layar atau foto.",
    reading: "Memeriksa gambar…",
    faults: {
      denied:
        "Kamera tidak diizinkan di sini. Izinkan di pengaturan peramban untuk halaman ini, pilih gambar, atau ketik kodenya.",
      no_camera: "Tidak ada kamera di perangkat ini. Pilih gambar, atau ketik kodenya.",
      busy: "Kamera tidak mau menyala: mungkin sedang dipakai program lain. Tutup program itu, pilih gambar, atau ketik kodenya.",
      insecure:
        "Halaman ini tidak dibuka lewat https: peramban tidak memberi kamera. Pilih gambar, atau ketik kodenya.",
      no_picture: "Tidak terlihat kode QR di berkas ini. Coba yang lebih tajam dan memuat seluruh kodenya.",
    },
  },
);
