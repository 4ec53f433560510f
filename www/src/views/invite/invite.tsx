import { useSignal } from "@preact/signals";
import type { PairingView } from "agentpair";
import { feed, live, openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { spoken } from "../../words/language.ts";
import { followed, useReturn } from "../join/followed.ts";
import { useGoOn } from "../join/go-on.ts";
import { Standing } from "../join/standing.tsx";
import "./invite.css";
import { InviteForm, type Wanted } from "./invite-form.tsx";
import { OpenInvite } from "./open-invite.tsx";
import { OtherInvites } from "./other-invites.tsx";
import { room } from "./words.ts";

/** The invite that is shown. */
const shown = followed("invite");

/** Makes an invite, and shows the open ones. */
export function Invite() {
  const w = spoken(room);
  const act = useAct();
  const isReturning = useReturn(shown);
  const wantsAnother = useSignal(false);
  const invites = (live.value?.pairings ?? []).filter(({ role }) => role === "initiator");
  const open = invites.filter(({ outcome }) => outcome === undefined).toSorted((a, b) => b.expiresAt - a.expiresAt);
  const pairing = successor(invites, shown.value) ?? open[0];
  useGoOn(pairing, () => {
    shown.value = undefined;
  });
  const isForm = !pairing || wantsAnother.value || act.isBusy || act.error !== undefined;
  const make = ({ form, petname }: Wanted) =>
    act.run(async () => {
      const host = await openHost();
      const invite = await host.invite({ form, ...(petname && { petname }) });
      shown.value = invite.pairing;
      wantsAnother.value = false;
    });
  const another = () => {
    shown.value = undefined;
    wantsAnother.value = true;
  };
  if (isReturning) {
    return (
      <>
        <h1>{w.yours}</h1>
        <p>{w.returning}</p>
      </>
    );
  }
  // The relay has not taken it yet: that it does not answer is told meanwhile.
  const making = act.isBusy ? open.find(({ step }) => step === "publishing") : undefined;
  const others = open.filter(({ id }) => id !== pairing?.id);
  if (isForm) {
    return (
      <>
        <h1>{w.title}</h1>
        <p>{w.lead}</p>
        <InviteForm isBusy={act.isBusy} error={act.error} onMake={make} />
        {making?.trouble !== undefined && <Standing pairing={making} />}
        {!act.isBusy && <OtherInvites invites={open} onShow={show} />}
      </>
    );
  }
  function show(id: string) {
    act.clear();
    shown.value = id;
    wantsAnother.value = false;
  }
  return (
    <>
      <h1>{pairing.outcome === undefined ? w.yours : w.ended}</h1>
      {feed().isSuccessor(pairing.id) && <p class="trouble">{w.replaced}</p>}
      <OpenInvite pairing={pairing} />
      <div class="buttons invite-another">
        <Button kind={pairing.outcome === undefined ? "plain" : "primary"} onClick={another}>
          {w.another}
        </Button>
      </div>
      <OtherInvites invites={others} onShow={show} />
    </>
  );
}

/** A pairing by its id, or the one that took its place. */
function successor(invites: readonly PairingView[], id: string | undefined): PairingView | undefined {
  const wanted = id === undefined ? undefined : (feed().successorOf(id) ?? id);
  return invites.find((invite) => invite.id === wanted);
}
