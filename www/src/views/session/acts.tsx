import { useDraft } from "../../draft.ts";
import { codeOf, openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Line } from "../../parts/line.tsx";
import { nameOf } from "../../parts/name.ts";
import { say } from "../../parts/say.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { printable } from "../../printable.ts";
import { inWords } from "../../words/errors.ts";
import { spoken, words } from "../../words/language.ts";
import { Editor } from "./editor.tsx";
import { Proposal } from "./proposal.tsx";
import type { Room } from "./room.ts";
import { isOwnMove, onTheTable, signable, standing } from "./standing.ts";

const room = words(
  {
    title: "What you can do",
    which: (n: number, name: string) => `This is about the text of turn ${n}: ${name}`,
    accept: "Accept and sign",
    acceptHint: (name: string) =>
      `This tells ${name} that you accept, and signs exactly this text. Nothing is agreed yet: both of you are asked once more.`,
    sign: "Sign this text",
    signHint: "This signs exactly this text. Nothing is agreed yet: both of you are asked once more.",
    note: "A few words with it (optional)",
    done: "Signed.",
    first: "Write the first text",
    counter: "Answer with another text",
    change: "Write another text",
    earlier: (name: string) => `Sign an earlier text, which ${name} has signed`,
    early: "Your text is kept here until you can send it.",
  },
  {
    title: "Yang dapat Anda lakukan",
    which: (n: number, name: string) => `Ini tentang teks giliran ${n}: ${name}`,
    accept: "Terima dan tanda tangani",
    acceptHint: (name: string) =>
      `${name} diberi tahu bahwa Anda menerima, dan persis teks ini ditandatangani. Belum ada kesepakatan: Anda berdua ditanya sekali lagi.`,
    sign: "Tanda tangani teks ini",
    signHint: "Persis teks ini ditandatangani. Belum ada kesepakatan: Anda berdua ditanya sekali lagi.",
    note: "Sedikit kata pengantar (boleh kosong)",
    done: "Sudah ditandatangani.",
    first: "Tulis teks pertama",
    counter: "Jawab dengan teks lain",
    change: "Tulis teks lain",
    earlier: (name: string) => `Tanda tangani teks terdahulu, yang sudah ditandatangani ${name}`,
    early: "Teks Anda disimpan di sini sampai dapat dikirim.",
  },
);

/** The next step of a negotiation that runs. */
export function Acts({ room: shown }: { room: Room }) {
  const w = spoken(room);
  const { view, turns, bond } = shown;
  const at = standing(view, turns);
  const { now, earlier } = signable(view, turns);
  const canWrite = view.status === "live" && view.turnsRemaining > 0;
  const isFirst = turns.length === 0;
  // Another text on the table is another one to begin with; what was written stays.
  const table = onTheTable(turns)?.deliverable?.sha256;
  const editor = <Editor key={table} room={shown} kind={isFirst ? "propose" : "counter"} />;
  if (at === "asked") {
    return (
      <Card title={w.first}>
        <p>{w.early}</p>
        <Editor room={shown} kind="propose" isEarly />
      </Card>
    );
  }
  return (
    <Card title={w.title}>
      {now !== undefined && <Sign key={now} room={shown} sha256={now} />}
      {at === "begin" && <>{editor}</>}
      {canWrite && at !== "begin" && (
        <details>
          <summary>{isFirst ? w.first : isOwnMove(at) ? w.counter : w.change}</summary>
          {editor}
        </details>
      )}
      {earlier !== undefined && (
        <details>
          <summary>{w.earlier(nameOf(bond))}</summary>
          <Earlier room={shown} sha256={earlier} />
        </details>
      )}
    </Card>
  );
}

/** A text that the other side signed before another one was put forward. */
function Earlier({ room: shown, sha256 }: { room: Room; sha256: string }) {
  const described = shown.turns.findLast(({ deliverable }) => deliverable?.sha256 === sha256)?.deliverable;
  if (!described) return null;
  return (
    <>
      <Proposal described={described} whole={shown.texts.get(sha256)} />
      <Sign room={shown} sha256={sha256} />
    </>
  );
}

/** Signs exactly the text that is on the screen; where it is the other side's last one, accepts it too. */
function Sign({ room: { view, turns, bond, texts }, sha256 }: { room: Room; sha256: string }) {
  const w = spoken(room);
  const act = useAct();
  const note = useDraft(`accept.${view.bond}.${view.thread}`);
  const turn = turns.findLast(({ deliverable }) => deliverable?.sha256 === sha256);
  const last = turns.at(-1);
  const isAcceptance =
    view.signedByPeer === undefined && view.turnsRemaining > 0 && last?.by === "peer" && last === turn;
  const sign = async () => {
    const host = await openHost();
    if (isAcceptance) {
      try {
        await host.accept(view.bond, view.thread, sha256, note.value.trim());
      } catch (error) {
        // The other text takes the place of this one, and of what is told here.
        if (codeOf(error) === "artifact_superseded") say(inWords(error));
        throw error;
      }
    }
    await host.sign(view.bond, view.thread, sha256);
    note.value = "";
    say(w.done);
  };
  const isHere = texts.has(sha256);
  return (
    <>
      {turn?.deliverable && <p>{w.which(turn.n, printable(turn.deliverable.name))}</p>}
      {isAcceptance && <Line label={w.note} value={note} />}
      <p class="hint">{isAcceptance ? w.acceptHint(nameOf(bond)) : w.signHint}</p>
      <Trouble error={act.error} />
      <div class="buttons">
        <Button kind="primary" busy={act.isBusy} disabled={!isHere} onClick={() => void act.run(sign)}>
          {isAcceptance ? w.accept : w.sign}
        </Button>
      </div>
    </>
  );
}
