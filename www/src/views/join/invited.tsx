import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { live } from "../../live.ts";
import type { Act } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { printable } from "../../printable.ts";
import { spoken } from "../../words/language.ts";
import { Foreign } from "./foreign.tsx";
import type { Used } from "./join.tsx";
import { Petname } from "./petname.tsx";
import { type Reading, readCode } from "./read-code.ts";
import { room } from "./words.ts";

interface InvitedProps {
  /** Never shown: whoever sees it can use it. */
  link: string;
  /** It was scanned here; else the page was opened with it. */
  isScanned: boolean;
  act: Act;
  onUse: (code: string, used: Used) => void;
  onOther: () => void;
}

/** An invite that came as a link: one press uses it. */
export function Invited({ link, isScanned, act, onUse, onOther }: InvitedProps) {
  const w = spoken(room);
  const petname = useSignal("");
  const reading = useSignal<Reading | undefined>(undefined);
  const failed = useSignal<unknown>(undefined);
  // Once more when the host is there: whether the invite is an own one is known then. Only the newest reading counts.
  useEffect(() => {
    let isNewest = true;
    readCode(link).then(
      (found) => {
        if (!isNewest) return;
        reading.value = found;
        failed.value = undefined;
      },
      (error) => {
        if (isNewest) failed.value = error;
      },
    );
    return () => {
      isNewest = false;
    };
  }, [link, live.value === undefined]);
  const read = reading.value;
  return (
    <>
      <h1>{isScanned ? w.scanned : w.invited}</h1>
      <p>{isScanned ? w.scannedLead : w.invitedLead}</p>
      {!isScanned && <p>{w.invitedBy}</p>}
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (read?.is === "code" && !act.isBusy) onUse(link, { petname: petname.value.trim() });
        }}
      >
        {read?.is === "foreign" && <Foreign relay={read.relay} isHere={!isScanned} />}
        {(read?.is === "malformed" || read?.is === "typo") && (
          <p class="trouble" role="alert">
            {w.broken}
          </p>
        )}
        {read?.is === "own" && (
          <p class="trouble" role="alert">
            {w.own}
          </p>
        )}
        {read?.is === "code" && <Petname value={petname} />}
        {read?.is === "code" && read.code.relay !== undefined && (
          <p class="hint">
            {w.relayIs}: <code>{printable(read.code.relay)}</code>
          </p>
        )}
        <Trouble error={failed.value ?? act.error} />
        <div class="buttons">
          {(read === undefined || read.is === "code") && (
            <Button submit kind="primary" busy={act.isBusy || read === undefined}>
              {w.accept}
            </Button>
          )}
          <Button onClick={onOther}>{w.other}</Button>
        </div>
        <p role="status">{act.isBusy && w.using}</p>
      </form>
    </>
  );
}
