import { useEffect, useRef } from "preact/hooks";
import { failure, live, phase, trouble, waiting } from "./live.ts";
import { Button } from "./parts/button.tsx";
import { useFoundFocus } from "./parts/found-focus.ts";
import { hush, Said } from "./parts/say.tsx";
import { Trouble } from "./parts/trouble.tsx";
import { addressOf, type Route, route } from "./route.ts";
import { BondRoom } from "./views/bond/bond.tsx";
import { Help } from "./views/help/help.tsx";
import { Home } from "./views/home/home.tsx";
import { Invite } from "./views/invite/invite.tsx";
import { Join } from "./views/join/join.tsx";
import { Landing } from "./views/landing/landing.tsx";
import { Propose } from "./views/propose/propose.tsx";
import { ReceiptCheck } from "./views/receipt/receipt.tsx";
import { Replay } from "./views/replay/replay.tsx";
import { SessionRoom } from "./views/session/session.tsx";
import { Settings } from "./views/settings/settings.tsx";
import { LANGUAGES, type Language, language, speak, spoken, words } from "./words/language.ts";

const room = words(
  {
    skip: "Skip to the content",
    nav: "Page",
    home: "Home",
    settings: "Settings",
    help: "Help",
    language: "Language",
    opening: "One moment…",
    understood: "Understood",
    again: "Try again",
  },
  {
    skip: "Langsung ke isi",
    nav: "Halaman",
    home: "Beranda",
    settings: "Pengaturan",
    help: "Bantuan",
    language: "Bahasa",
    opening: "Sebentar…",
    understood: "Mengerti",
    again: "Coba lagi",
  },
);

/** The whole page. */
export function App() {
  const w = spoken(room);
  const main = useRef<HTMLElement>(null);
  const at = route.value;
  const place = addressOf(at);
  const isFirst = useRef(true);
  useFoundFocus();
  // Whoever goes to another view begins at its heading, by keyboard and by ear.
  useEffect(() => {
    if (!isFirst.current) {
      main.current?.focus();
      hush();
    }
    isFirst.current = false;
    scrollTo(0, 0);
  }, [place]);
  // What was said stays in the language that was spoken.
  useEffect(hush, [language.value]);
  const count = waiting.value.length;
  // Whoever is in another tab sees that something waits.
  useEffect(() => {
    document.title = count > 0 ? `(${count}) AgentPair` : "AgentPair";
  }, [count]);
  return (
    <>
      <header class="top">
        {/* biome-ignore lint/a11y/useValidAnchor: it leads to the content, and the address stays that of the view. */}
        <a
          class="skip"
          href="#main"
          onClick={(event) => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          {w.skip}
        </a>
        <a class="brand" href="#/">
          <img src="./icon.svg" alt="" width="28" height="28" />
          AgentPair
        </a>
        <nav aria-label={w.nav}>
          <Tab to={{ view: "home" }} text={w.home} />
          <Tab to={{ view: "settings" }} text={w.settings} />
          <Tab to={{ view: "help" }} text={w.help} />
        </nav>
        <Languages label={w.language} />
      </header>
      <main id="main" ref={main} tabIndex={-1} key={place}>
        <Said />
        {phase.value === "failed" && (
          <>
            <Trouble error={failure.value} />
            <Button onClick={() => location.reload()}>{w.again}</Button>
          </>
        )}
        {trouble.value !== undefined && (
          <>
            <Trouble error={trouble.value} />
            <Button
              kind="quiet"
              onClick={() => {
                trouble.value = undefined;
              }}
            >
              {w.understood}
            </Button>
          </>
        )}
        <View at={at} opening={w.opening} />
      </main>
    </>
  );
}

function Tab({ to, text }: { to: Route; text: string }) {
  return (
    <a href={addressOf(to)} {...(route.value.view === to.view && { "aria-current": "page" as const })}>
      {text}
    </a>
  );
}

function Languages({ label }: { label: string }) {
  return (
    <select
      aria-label={label}
      value={language.value}
      onChange={(event) => speak(event.currentTarget.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([name, own]) => (
        <option key={name} value={name} lang={name}>
          {own}
        </option>
      ))}
    </select>
  );
}

/** The view of a route. Those about a bond need the host. */
function View({ at, opening }: { at: Route; opening: string }) {
  switch (at.view) {
    case "help":
      return <Help />;
    case "replay":
      return <Replay />;
    case "receipt":
      return <ReceiptCheck />;
    case "invite":
      return <Invite />;
    case "join":
      return <Join />;
    case "settings":
      return <Settings />;
    case "home":
      if (live.value && (live.value.bonds.length > 0 || live.value.pairings.length > 0)) return <Home />;
      return <Landing />;
    default:
      break;
  }
  if (!live.value) return phase.value === "failed" ? null : <p>{opening}</p>;
  if (at.view === "propose") return <Propose bond={at.bond} />;
  if (at.view === "session") return <SessionRoom bond={at.bond} thread={at.thread} />;
  return <BondRoom bond={at.bond} />;
}
