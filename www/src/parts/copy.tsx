import { spoken, words } from "../words/language.ts";
import { Button } from "./button.tsx";
import { say } from "./say.tsx";

const room = words(
  { copied: "Copied.", failed: "This browser lets nothing be copied: select the text yourself." },
  { copied: "Tersalin.", failed: "Peramban ini tidak mengizinkan penyalinan: pilih teksnya sendiri." },
);

/** Copies a text. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const { copied, failed } = spoken(room);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say(copied),
      () => say(failed),
    );
  return <Button onClick={() => void copy()}>{children}</Button>;
}
