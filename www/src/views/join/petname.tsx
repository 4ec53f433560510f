import type { Signal } from "@preact/signals";
import { Line } from "../../parts/line.tsx";
import { spoken } from "../../words/language.ts";
import { room } from "./words.ts";

/** Longest name that is typed here. */
const NAME = 64;

/** The owner's name for the other side. */
export function Petname({ value }: { value: Signal<string> }) {
  const w = spoken(room);
  return <Line label={w.petname} hint={w.petnameHint} value={value} maxLength={NAME} />;
}
