import type { PageItem, PageLine } from "../page-items.js";

const KINDS: { [kind: string]: string } = {
  join: "New bond",
  open: "Negotiation",
  ratify: "Agreement",
  extend: "More turns",
  verify: "Safety number",
  continue: "Go on?",
};

/** Texts with more characters than that do not stand in full. */
const LONG = 4_000;

/** An element with text, and nothing but text: whatever a peer wrote cannot become anything else. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

/** What an item is about, with its two buttons. */
export function card(item: PageItem, onDecide: (decision: "approve" | "reject") => void): HTMLElement {
  const heading = element("h2", "", item.question);
  heading.id = `question-${item.id}`;
  heading.tabIndex = -1;
  const approve = button("approve", "Approve…", () => onDecide("approve"));
  const reject = button("reject", "Reject…", () => onDecide("reject"));
  for (const one of [approve, reject]) one.setAttribute("aria-describedby", heading.id);
  const made = element(
    "article",
    "card",
    element("p", "kind", KINDS[item.kind] ?? item.kind),
    heading,
    ...grouped(item.lines).map(section),
    element("p", "meta", `Waits until ${time(item.expiresAt)} · `, digest(item)),
    element("div", "buttons", approve, reject),
  );
  made.setAttribute("aria-labelledby", heading.id);
  return made;
}

/** The beginning of the digest, to be compared with what a terminal shows. */
export function digest({ digest }: PageItem): HTMLElement {
  const code = element("code", "", digest.slice(0, 16).replace(/(.{4})(?=.)/g, "$1 "));
  return element("span", "digest", "digest ", code);
}

export function button(className: string, text: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

/** Lines that the peer wrote one after the other stand in one frame. */
function grouped(lines: PageLine[]): PageLine[][] {
  const groups: PageLine[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (line.fromPeer && last?.[0]?.fromPeer) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

function section(lines: PageLine[]): HTMLElement {
  const content = lines.flatMap(({ label, text }) => [element("h3", "", label), block(text)]);
  if (!lines[0]?.fromPeer) return element("section", "line", ...content);
  const mark = element("p", "mark", "Written by the peer, checked by nobody");
  const made = element("section", "line peer", mark, ...content);
  made.setAttribute("aria-label", "Written by the peer, checked by nobody");
  return made;
}

/** A long text scrolls, by keyboard too, and says so: nobody shall take its beginning for all of it. */
function block(text: string): HTMLElement {
  const made = element("div", "text", text);
  if (text.length <= LONG) return made;
  made.classList.add("long");
  made.tabIndex = 0;
  const length = text.length.toLocaleString();
  return element("div", "", element("p", "mark", `${length} characters: scroll to read all of them`), made);
}

function time(ms: number): string {
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString([], isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}
