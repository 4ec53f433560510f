import { auditText, type Format } from "../../audit.ts";
import { openHost } from "../../live.ts";
import { useAct } from "../../parts/act.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { downloadText } from "../../parts/download.ts";
import { Trouble } from "../../parts/trouble.tsx";
import { spoken, words } from "../../words/language.ts";

const room = words(
  {
    title: "Audit log",
    what: "What happened here, act by act, without the texts. Each record holds the digest of the one before, and your key signs the end: two exports show whether something between them was altered.",
    csv: "Download as a table (CSV)",
    jsonl: "Download as JSON Lines",
  },
  {
    title: "Catatan audit",
    what: "Apa yang terjadi di sini, langkah demi langkah, tanpa teksnya. Setiap catatan memuat sidik catatan sebelumnya, dan kunci Anda menandatangani akhirnya: dua ekspor menunjukkan apakah sesuatu di antaranya diubah.",
    csv: "Unduh sebagai tabel (CSV)",
    jsonl: "Unduh sebagai JSON Lines",
  },
);

const TYPES = { csv: "text/csv", jsonl: "application/x-ndjson" };

/** The audit log as a file. */
export function Audit() {
  const w = spoken(room);
  const act = useAct();
  const save = async (format: Format) => {
    const text = await auditText(await openHost(), format);
    downloadText(`agentpair-audit-${new Date().toISOString().slice(0, 10)}.${format}`, TYPES[format], text);
  };
  return (
    <Card title={w.title}>
      <p>{w.what}</p>
      <Trouble error={act.error} />
      <div class="buttons">
        <Button busy={act.isBusy} onClick={() => void act.run(() => save("csv"))}>
          {w.csv}
        </Button>
        <Button busy={act.isBusy} onClick={() => void act.run(() => save("jsonl"))}>
          {w.jsonl}
        </Button>
      </div>
    </Card>
  );
}
