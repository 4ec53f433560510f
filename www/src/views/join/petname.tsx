import type { Signal } from "@preact/signals";
import { Line } from "../../parts/line.tsx";
import { LONGEST_NAME } from "../../parts/name.ts";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** The owner's name for the other side. */
export function Petname({ value }: { value: Signal<string> }) {
  const w = spoken(room);
  return <Line label={w.petname} hint={w.petnameHint} value={value} maxLength={LONGEST_NAME} />;
}
