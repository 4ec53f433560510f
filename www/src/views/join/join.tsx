import { useSignal } from "@preact/signals";
import { live, openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { openedInvite } from "../../route.ts";
import { spoken } from "../../words/language.ts";
import { CodeForm } from "./code-form.tsx";
import { followed, useReturn } from "./followed.ts";
import { useGoOn } from "./go-on.ts";
import { Invited } from "./invited.tsx";
import "./join.css";
import { Joining } from "./joining.tsx";
import { room } from "./words.ts";

/** The pairing that is shown. */
const shown = followed("join");

/** What a code is used with. */
export interface Used {
  petname: string;
  relay?: string;
}

/** Uses a code, and shows what comes of it. */
export function Join() {
  const w = spoken(room);
  const act = useAct();
  const isReturning = useReturn(shown);
  const scanned = useSignal<string | undefined>(undefined);
  const joins = (live.value?.pairings ?? []).filter(({ role }) => role === "joiner");
  const pairing = joins.find(({ id }) => id === shown.value) ?? joins.findLast(({ outcome }) => outcome === undefined);
  useGoOn(pairing, () => {
    shown.value = undefined;
  });
  const use = (code: string, { petname, relay }: Used) =>
    act.run(async () => {
      const host = await openHost();
      shown.value = await host.join(code, { ...(petname && { petname }), ...(relay && { relay }) });
      // Used up: nothing of it stays here.
      openedInvite.value = undefined;
      scanned.value = undefined;
    });
  const link = scanned.value ?? openedInvite.value;
  if (isReturning && link === undefined) {
    return (
      <>
        <h1>{w.pairing}</h1>
        <p>{w.using}</p>
      </>
    );
  }
  if (pairing && link === undefined) {
    return (
      <Joining
        pairing={pairing}
        onAgain={() => {
          shown.value = undefined;
        }}
      />
    );
  }
  const other = () => {
    act.clear();
    openedInvite.value = undefined;
    scanned.value = undefined;
  };
  if (link !== undefined) {
    return (
      <Invited key={link} link={link} isScanned={scanned.value !== undefined} act={act} onUse={use} onOther={other} />
    );
  }
  return (
    <>
      <h1>{w.title}</h1>
      <p>{w.lead}</p>
      <CodeForm
        act={act}
        onUse={use}
        onScanned={(text) => {
          scanned.value = text;
        }}
      />
    </>
  );
}
