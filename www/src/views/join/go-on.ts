import type { PairingView } from "agentpair";
import { useEffect } from "preact/hooks";
import { live } from "../../live.ts";
import { say } from "../../parts/say.tsx";
import { printable } from "../../printable.ts";
import { go } from "../../route.ts";
import { spoken, words } from "../../words/language.ts";

const room = words(
  { bonded: (name: string) => `You are bonded with ${name}.` },
  { bonded: (name: string) => `Anda sudah terikat dengan ${name}.` },
);

/** Goes on to the bond as soon as a pairing has led to one. */
export function useGoOn(pairing: PairingView | undefined, onGo: () => void): void {
  const w = spoken(room);
  const bond = pairing?.outcome === "bonded" ? pairing.bond : undefined;
  useEffect(() => {
    if (bond === undefined) return;
    const view = live.value?.bonds.find(({ id }) => id === bond);
    if (view) say(w.bonded(printable(view.petname)));
    onGo();
    go({ view: "bond", bond });
  }, [bond]);
}
