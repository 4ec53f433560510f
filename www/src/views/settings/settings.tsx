import "./settings.css";
import { RELAYS } from "../../host.ts";
import { live, phase } from "../../live.ts";
import { Card } from "../../parts/card.tsx";
import { spoken, words } from "../../words/language.ts";
import { Audit } from "./audit.tsx";
import { Backup } from "./backup.tsx";
import { Kept } from "./kept.tsx";
import { Label } from "./label.tsx";
import { Pin } from "./pin.tsx";
import { Restore } from "./restore.tsx";
import { Wipe } from "./wipe.tsx";

const room = words(
  {
    title: "Settings",
    relays: "Relays",
    relaysWords: "New invites go over the first one. This page talks to no other.",
    noRelay: "This page was made without a relay: it can use none.",
    empty: "There is nothing of yours on this page yet. It begins with your first invite or code.",
    version: "Version",
  },
  {
    title: "Pengaturan",
    relays: "Relai",
    relaysWords: "Undangan baru lewat relai yang pertama. Halaman ini tidak berbicara dengan relai lain.",
    noRelay: "Halaman ini dibuat tanpa relai: tidak ada yang dapat dipakai.",
    empty: "Belum ada apa-apa milik Anda di halaman ini. Ini dimulai dengan undangan atau kode pertama Anda.",
    version: "Versi",
  },
);

/** What can be set, taken away and taken along. */
export function Settings() {
  const w = spoken(room);
  const isThere = live.value !== undefined;
  return (
    <div class="settings">
      <h1>{w.title}</h1>
      {isThere && <Label />}
      {isThere && <Pin />}
      <Card title={w.relays}>
        {RELAYS.length === 0 ? <p>{w.noRelay}</p> : <p>{w.relaysWords}</p>}
        <ul>
          {RELAYS.map((relay) => (
            <li key={relay}>
              <code>{relay}</code>
            </li>
          ))}
        </ul>
      </Card>
      {isThere && <Kept />}
      {isThere && <Backup />}
      {isThere && <Audit />}
      {!isThere && phase.value === "resting" && (
        <Card>
          <p>{w.empty}</p>
        </Card>
      )}
      {!isThere && phase.value !== "opening" && <Restore />}
      <Wipe />
      <p class="hint">
        {w.version} {VERSION}
      </p>
    </div>
  );
}
