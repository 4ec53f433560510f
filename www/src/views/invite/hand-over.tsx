import type { Form } from "agentpair";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import { spoken } from "../../words/language.ts";
import { pageLink, spokenPieces } from "./invite-link.ts";
import { room } from "./words.ts";

/** A code in the form in which it is handed over. */
export function HandOver({ code, form }: { code: string; form: Form }) {
  return form === "link" ? <Link link={pageLink(code, location)} /> : <Spoken code={code} form={form} />;
}

function Link({ link }: { link: string }) {
  const w = spoken(room);
  return (
    <div class="invite-hand-over">
      <div>
        <QrCode text={link} label={w.qr} />
        <p class="hint">{w.qrHint}</p>
      </div>
      <div>
        <h2>{w.link}</h2>
        <p>
          <code class="invite-link">{link}</code>
        </p>
        <p class="hint">{w.secret}</p>
        <div class="buttons">
          <CopyButton text={link}>{w.copyLink}</CopyButton>
          {"share" in navigator && (
            <Button
              onClick={() => {
                // Whoever closes the sheet of the system has no trouble.
                navigator.share({ title: w.shareText, url: link }).catch(() => {});
              }}
            >
              {w.share}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

function Spoken({ code, form }: { code: string; form: Form }) {
  const w = spoken(room);
  const pieces = spokenPieces(code);
  return (
    <div>
      <p class={`invite-spoken ${form}`}>
        {pieces.map((piece, n) => (
          <>
            {n > 0 && <span class="invite-dash">-</span>}
            <span>{piece}</span>
          </>
        ))}
      </p>
      <p>{form === "words" ? w.sayWords : w.sayDigits}</p>
      {form === "digits" && <p class="hint">{w.held}</p>}
      <p class="hint">{w.secret}</p>
      <div class="buttons">
        <CopyButton text={code}>{w.copyCode}</CopyButton>
      </div>
    </div>
  );
}
