import { useSignal } from "@preact/signals";
import type { Open } from "agentpair";
import { useEffect } from "preact/hooks";
import { live } from "../../live.ts";
import { Exact } from "../../parts/peer-text.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { printable } from "../../printable.ts";
import { locale, spoken } from "../../words/language.ts";
import { type ReadReceipt, readReceipt } from "./read.ts";
import "./receipt.css";
import { room } from "./words.ts";

/** Characters of a key that are shown: people compare ends. */
const TAIL = 8;

/** Verifies a receipt here and now, and says what it proves and what not. */
export function ReceiptSummary({ receipt }: { receipt: string }) {
  const w = spoken(room);
  const read = useSignal<ReadReceipt | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    let isCurrent = true;
    read.value = undefined;
    error.value = undefined;
    readReceipt(receipt).then(
      (found) => {
        if (isCurrent) read.value = found;
      },
      (thrown) => {
        if (isCurrent) error.value = thrown;
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [receipt]);
  if (error.value !== undefined) return <Trouble error={error.value} />;
  if (!read.value) return <p role="status">{w.checking}</p>;
  return <Proof read={read.value} />;
}

function Proof({ read }: { read: ReadReceipt }) {
  const w = spoken(room);
  const { verified, deliverable, channels, thread } = read;
  const [initiatorAt, recipientAt] = verified.approved_at;
  return (
    <div class="receipt">
      <div class="receipt-seal" role="status">
        <Seal />
        <div>
          <strong>{w.holds}</strong> {w.unchanged}
        </div>
      </div>
      <h3>{w.who}</h3>
      <ul class="receipt-signers">
        <Signer role={w.initiator} id={verified.initiator} at={initiatorAt} channel={channels[0]} />
        <Signer role={w.recipient} id={verified.recipient} at={recipientAt} channel={channels[1]} />
      </ul>
      <h3>{w.on}</h3>
      <figure class="peer">
        <figcaption>{w.theirs}</figcaption>
        <Terms terms={verified.terms} />
        <h4>
          {w.text}: <span class="receipt-name">{printable(deliverable.name)}</span>
        </h4>
        <Exact text={deliverable.text} />
      </figure>
      <div class="receipt-meaning">
        <Points title={w.proves} points={w.proven} />
        <Points title={w.provesNot} points={w.notProven} />
      </div>
      <details>
        <summary>{w.exact}</summary>
        <dl>
          <Value name={w.agreement} value={verified.agreement} />
          <Value name={w.sha256} value={verified.sha256} />
          <Value name={w.initiator} value={verified.initiator} />
          <Value name={w.recipient} value={verified.recipient} />
          <Value name={w.thread} value={thread} />
        </dl>
      </details>
    </div>
  );
}

function Signer({ role, id, at, channel }: { role: string; id: string; at: number; channel: string }) {
  const w = spoken(room);
  const bond = live.value?.bonds.find(({ own, peer }) => own === id || peer === id);
  const known = bond && (bond.own === id ? w.you : w.known(printable(bond.petname)));
  return (
    <li>
      <strong>{role}</strong>
      <span>
        {w.key} <code>…{id.slice(-TAIL)}</code>
      </span>
      {known && <span class="receipt-known">{known}</span>}
      <span>{w.signedAt(dateAndTime(at))}</span>
      <span class="hint">{w.channel(printable(channel))}</span>
    </li>
  );
}

function Terms({ terms }: { terms: Open }) {
  const w = spoken(room);
  return (
    <dl>
      <dt>{w.goal}</dt>
      <dd class="exact">{printable(terms.goal)}</dd>
      {terms.acceptance.length > 0 && (
        <>
          <dt>{w.criteria}</dt>
          <dd>
            <ul>
              {terms.acceptance.map(({ desc }, n) => (
                <li key={n} class="exact">
                  {printable(desc)}
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      <dt>{w.deadline}</dt>
      <dd>{deadlineOf(terms.budget.deadline)}</dd>
      <dt>{w.turns}</dt>
      <dd>{terms.budget.max_turns}</dd>
      {terms.supersedes && (
        <>
          <dt>{w.supersedes}</dt>
          <dd>
            <code>{printable(terms.supersedes)}</code>
          </dd>
        </>
      )}
    </dl>
  );
}

function deadlineOf(deadline: string): string {
  const ms = Date.parse(deadline);
  return Number.isNaN(ms) ? printable(deadline) : dateAndTime(ms);
}

/** The day belongs to it even if it is today: this may be printed. */
function dateAndTime(ms: number): string {
  return new Date(ms).toLocaleString(locale(), { dateStyle: "long", timeStyle: "short" });
}

function Points({ title, points }: { title: string; points: readonly string[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </section>
  );
}

function Value({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{printable(value)}</code>
      </dd>
    </>
  );
}

function Seal() {
  return (
    <svg class="receipt-mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="14" />
      <path d="m9.5 16.5 4.5 4.5 9-10" />
    </svg>
  );
}
