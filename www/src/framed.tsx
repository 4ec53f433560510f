import { spoken, words } from "./words/language.ts";

const room = words(
  {
    text: "Another page shows AgentPair in a frame, and could deceive you about what you press.",
    way: "Open it by itself",
  },
  {
    text: "Halaman lain menampilkan AgentPair di dalam bingkai, dan bisa menipu Anda tentang apa yang Anda tekan.",
    way: "Buka tersendiri",
  },
);

/** All that there is in a frame of another page. */
export function Framed() {
  const { text, way } = spoken(room);
  return (
    <main>
      <p>{text}</p>
      <p>
        <a href={location.pathname} target="_blank" rel="noopener">
          {way}
        </a>
      </p>
    </main>
  );
}
