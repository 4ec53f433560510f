import { useSignal } from "@preact/signals";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { Line } from "../../parts/line.tsx";
import { nameOf } from "../../parts/name.ts";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";
import type { Room } from "./room.ts";

const room = words(
  {
    more: "Ask for more turns",
    turns: "Turns of both sides together, from now on",
    turnsHint: (used: number, max: number) => `${used} of ${max} are used. You confirm first, then the other side.`,
    ask: "Ask",
    end: "End this negotiation",
    endTitle: "End this negotiation?",
    endWords: (name: string) =>
      `It ends at once, without an agreement, and ${name} is told. It cannot be taken up again; you can begin another one.`,
    reason: (name: string) => `Why (optional; ${name} reads it)`,
    doEnd: "End it",
    keep: "Go on with it",
    ended: "Ended.",
  },
  {
    more: "Minta tambahan giliran",
    turns: "Giliran kedua pihak bersama, mulai sekarang",
    turnsHint: (used: number, max: number) =>
      `${used} dari ${max} sudah terpakai. Anda menyetujui dulu, lalu pihak lain.`,
    ask: "Minta",
    end: "Akhiri perundingan ini",
    endTitle: "Akhiri perundingan ini?",
    endWords: (name: string) =>
      `Perundingan langsung berakhir tanpa kesepakatan, dan ${name} diberi tahu. Ini tidak dapat dilanjutkan; Anda bisa memulai yang baru.`,
    reason: (name: string) => `Alasannya (boleh kosong; ${name} membacanya)`,
    doEnd: "Akhiri",
    keep: "Lanjutkan",
    ended: "Sudah diakhiri.",
  },
);

/** What else can be done while it is not over: more turns, and the end. */
export function More({ room: shown }: { room: Room }) {
  const { view } = shown;
  return (
    <div class="session-more">
      {view.status === "live" && view.maxTurns < 1_000 && <MoreTurns room={shown} />}
      <End room={shown} />
    </div>
  );
}

function MoreTurns({ room: { view } }: { room: Room }) {
  const w = spoken(room);
  const act = useAct();
  const usual = Math.min(view.maxTurns + 10, 1_000);
  const turns = useSignal(String(usual));
  const ask = async () => {
    const host = await openHost();
    await host.extend(view.bond, view.thread, Number(turns.value));
    scrollTo(0, 0);
  };
  return (
    <details open={view.turnsRemaining === 0}>
      <summary>{w.more}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(ask);
        }}
      >
        <Field label={w.turns} hint={w.turnsHint(view.turns, view.maxTurns)}>
          {(ties) => (
            <input
              {...ties}
              type="number"
              required
              min={view.maxTurns + 1}
              max={1_000}
              value={turns.value}
              onInput={(event) => {
                turns.value = event.currentTarget.value;
              }}
            />
          )}
        </Field>
        <Trouble error={act.error} />
        <Button submit busy={act.isBusy}>
          {w.ask}
        </Button>
      </form>
    </details>
  );
}

function End({ room: { view, bond } }: { room: Room }) {
  const w = spoken(room);
  const reason = useSignal("");
  const name = nameOf(bond);
  const end = async () => {
    const host = await openHost();
    await host.closeThread(view.bond, view.thread, reason.value.trim() || undefined);
    say(w.ended);
  };
  return (
    <Confirm ask={w.end} title={w.endTitle} doIt={w.doEnd} leave={w.keep} onConfirm={end}>
      <p>{w.endWords(name)}</p>
      <Line label={w.reason(name)} value={reason} maxLength={1_000} />
    </Confirm>
  );
}
