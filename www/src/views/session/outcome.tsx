import type { Ratification } from "agentpair";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { downloadText } from "../../parts/download.ts";
import { nameOf } from "../../parts/name.ts";
import { PeerReason } from "../../parts/peer-reason.tsx";
import { printable } from "../../printable.ts";
import { reasonInWords } from "../../words/errors.ts";
import { moment, spoken, words } from "../../words/language.ts";
import { ReceiptSummary } from "../receipt/receipt.tsx";
import { Proposal } from "./proposal.tsx";
import type { Room } from "./room.ts";

const room = words(
  {
    agreed: "What you agreed on",
    you: (at: string) => `Ratified by you: ${at}.`,
    they: (name: string, at: string) => `Ratified by ${name}: ${at}, by their clock.`,
    receipt: "The receipt",
    receiptWords: "Keep this file. It proves the agreement without this page, without the relay and without any key.",
    save: "Download the receipt",
    ended: "Why it ended",
    byThem: (name: string) => `${name} closed it.`,
    byYou: "You closed it.",
    yours: "You said:",
  },
  {
    agreed: "Yang Anda sepakati",
    you: (at: string) => `Disahkan oleh Anda: ${at}.`,
    they: (name: string, at: string) => `Disahkan oleh ${name}: ${at}, menurut jamnya.`,
    receipt: "Tanda terima",
    receiptWords:
      "Simpan berkas ini. Berkas ini membuktikan kesepakatannya tanpa halaman ini, tanpa relai, dan tanpa kunci.",
    save: "Unduh tanda terima",
    ended: "Mengapa berakhir",
    byThem: (name: string) => `${name} menutupnya.`,
    byYou: "Anda menutupnya.",
    yours: "Kata Anda:",
  },
);

/** How it came out: the text and its evidence, or why there is none. */
export function Outcome({ room: shown }: { room: Room }) {
  return shown.view.status === "agreed" ? <Agreed room={shown} /> : <Ended room={shown} />;
}

function Agreed({ room: { view, bond, texts, receipt } }: { room: Room }) {
  const w = spoken(room);
  const at = (ratified: Ratification) => moment(ratified.approved_at);
  const { deliverable, ratifiedByMe, ratifiedByPeer, agreement } = view;
  return (
    <>
      <Card title={w.agreed} kind="result">
        {deliverable && <Proposal described={deliverable} whole={texts.get(deliverable.sha256)} />}
        {ratifiedByMe && <p>{w.you(at(ratifiedByMe))}</p>}
        {ratifiedByPeer && <p>{w.they(nameOf(bond), at(ratifiedByPeer))}</p>}
      </Card>
      {receipt !== undefined && (
        <Card title={w.receipt}>
          <p>{w.receiptWords}</p>
          <div class="buttons">
            <Button
              kind="primary"
              onClick={() =>
                downloadText(`receipt-${agreement?.slice(0, 16)}.json`, "application/json", `${receipt}\n`)
              }
            >
              {w.save}
            </Button>
          </div>
          <div class="kept-receipt">
            <ReceiptSummary receipt={receipt} />
          </div>
        </Card>
      )}
    </>
  );
}

function Ended({ room: { view, bond } }: { room: Room }) {
  const w = spoken(room);
  const isTheirs = view.endedBy === "peer";
  const reason = view.reason ?? "";
  const who = view.reason !== "thread_closed" ? undefined : isTheirs ? w.byThem(nameOf(bond)) : w.byYou;
  // What the engine gives as words may be its own code.
  const said = view.words === undefined || view.words === view.reason ? undefined : view.words;
  return (
    <Card title={w.ended}>
      <p>{who ?? reasonInWords(reason) ?? printable(reason)}</p>
      {said !== undefined && isTheirs && <PeerReason by={bond.petname} reason={said} />}
      {said !== undefined && !isTheirs && (
        <p>
          {w.yours} {printable(said)}
        </p>
      )}
    </Card>
  );
}
