import type { PageItem, PageState } from "../page-items.js";
import { CallFailed, hasToken, waiting } from "./calls.js";
import { card, element } from "./card.js";
import { confirmed } from "./confirm.js";

/** How often it is asked what waits, in milliseconds. */
const POLL_MS = 1_500;

const list = byId("list");
const empty = byId("empty");
const note = byId("note");
const said = byId("said");
const footer = byId("no-pin");

/** The cards that are shown, by the ids of their items. */
const cards = new Map<string, HTMLElement>();
let needsPin = false;
let isActive = true;
let isFirst = true;

for (const event of ["pointerdown", "keydown"]) {
  addEventListener(event, () => {
    isActive = true;
  });
}
if (hasToken) void watch();
else
  end("This page needs its whole address.", "Open the link as the terminal shows it, with all that stands behind #.");

/** Shows what waits, as long as the page is served. */
async function watch(): Promise<void> {
  for (;;) {
    const active = isActive;
    isActive = false;
    try {
      show(await waiting(active));
    } catch (error) {
      const { code, message } = error instanceof CallFailed ? error : { code: "", message: String(error) };
      if (code === "ended" || code === "forbidden") {
        return end(message, "Start another one in a terminal: agentpair approve --page");
      }
      say(message);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Adds and removes cards, and leaves those that stay as they are: the human may be reading one. */
function show({ items, pin }: PageState): void {
  needsPin = pin;
  footer.hidden = pin;
  const ids = new Set(items.map(({ id }) => id));
  for (const [id, shown] of cards) {
    if (ids.has(id)) continue;
    shown.remove();
    cards.delete(id);
  }
  for (const item of items) {
    if (cards.has(item.id)) continue;
    const made = card(item, (decision) => void ask(item, decision));
    cards.set(item.id, made);
    list.append(made);
    if (!isFirst) say(`New: ${item.question}`);
  }
  isFirst = false;
  empty.hidden = items.length > 0;
  document.title = items.length > 0 ? `(${items.length}) AgentPair asks` : "AgentPair approvals";
}

async function ask(item: PageItem, decision: "approve" | "reject"): Promise<void> {
  const outcome = await confirmed(item, decision, needsPin);
  if (outcome === undefined) return;
  cards.get(item.id)?.remove();
  cards.delete(item.id);
  empty.hidden = cards.size > 0;
  say(outcome);
  // Where a keyboard goes on.
  (list.querySelector<HTMLElement>("h2") ?? said).focus();
}

function say(text: string): void {
  said.textContent = text;
}

function end(text: string, advice: string): void {
  list.replaceChildren();
  empty.hidden = true;
  footer.hidden = true;
  document.querySelector("dialog")?.close();
  note.replaceChildren(element("h2", "", text), element("p", "", advice));
  note.hidden = false;
  document.title = "AgentPair: ended";
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no ${id}`);
  return found;
}
