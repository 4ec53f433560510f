import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import type { Person } from "./stage.ts";

/** What happens between two steps: nothing, or a reload of a page. */
export type Between = (who: Person) => Promise<unknown>;

/** Makes an invite. Resolves with its link, or its digits. */
export async function invite(
  who: Person,
  petname: string,
  between: Between,
  form: "link" | "digits" = "link",
): Promise<string> {
  await who.follow("Invite somebody");
  await who.heading("Invite somebody");
  await who.page.getByRole("radio", { name: form === "link" ? /Link or QR/ : /digits/i }).check();
  await who.type(/What do you call them/, petname);
  await who.press("Make the invite");
  await who.heading("Your invite");
  await between(who);
  await who.heading("Your invite");
  const code = form === "link" ? who.page.getByText(/#r=.*&i=/) : who.page.locator(".invite-spoken");
  return (await code.textContent()) ?? "";
}

/** Uses an invite by its link, and agrees to bond. */
export async function join(who: Person, link: string, petname: string, between: Between): Promise<void> {
  await who.page.goto(link);
  await who.heading("Somebody has invited you");
  await who.type(/What do you call them/, petname);
  await who.press("Accept the invite");
  await bond(who, between);
}

/** Types a code of words with a slip in it, which the page offers to mend; uses it, and agrees to bond. */
export async function joinByWords(who: Person, code: string, petname: string, between: Between): Promise<void> {
  await who.follow("I have a code");
  const word = code.split("-").at(-1) ?? "";
  await who.type("Your code", `${code}x`);
  await who.type(/What do you call them/, petname);
  await who.press("Use the code");
  await who.reads(`“${word}x” is not in the list of words. Nothing was sent.`);
  await who.press(`I meant “${word}”`);
  assert.equal(await who.page.getByLabel("Your code").inputValue(), code);
  await who.press("Use the code");
  await bond(who, between);
}

async function bond(who: Person, between: Between): Promise<void> {
  await who.heading(/Bond with/);
  await between(who);
  await approve(who, /Bond with/);
}

/** Approves a question: after a second look. */
export async function approve(who: Person, question: RegExp): Promise<void> {
  const card = who.page.getByRole("article").filter({ has: who.page.getByRole("heading", { name: question }) });
  await card.getByRole("button", { name: "Approve…" }).click();
  await who.page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await card.waitFor({ state: "detached" });
}

/** The human says that both see the same safety number. */
export async function compare(who: Person, between: Between): Promise<string> {
  const groups = who.page.getByRole("img", { name: /^Group \d: (\d ?){6}$/ });
  await groups.nth(4).waitFor();
  const number = (await groups.allTextContents()).join(" ");
  await who.press("They are equal");
  await who.heading(/same safety number/);
  await between(who);
  await who.heading(/same safety number/);
  await approve(who, /same safety number/);
  return number;
}

/** Writes a message. */
export async function send(from: Person, text: string): Promise<void> {
  const field = from.page.getByLabel(/^(Write a message|Your message)$/).filter({ visible: true });
  await field.first().fill(text);
  await from.page.getByRole("button", { name: "Send", exact: true }).filter({ visible: true }).first().click();
  await from.page.locator(".said-by-me").filter({ hasText: text }).first().waitFor();
}

/** Writes a message, which the other one reads. */
export async function write(from: Person, to: Person, text: string, between: Between): Promise<void> {
  await send(from, text);
  await to.reads(text);
  await Promise.all([between(from), between(to)]);
  await Promise.all([from.reads(text), to.reads(text)]);
}

/** Proposes to negotiate. */
export async function offer(from: Person, goal: string, between: Between): Promise<void> {
  await from.follow("Propose something");
  await from.type("What shall be agreed", goal);
  await between(from);
  await from.press("Propose it");
  await from.heading(/Negotiation with/);
}

/** Lets a negotiation begin, and goes there. */
export async function letBegin(to: Person, goal: string, between: Between): Promise<void> {
  await to.heading(/Negotiate with/);
  await between(to);
  await approve(to, /Negotiate with/);
  await to.page.getByRole("link", { name: new RegExp(goal) }).click();
  await to.heading(/Negotiation with/);
}

/** Proposes to negotiate; the other one lets it begin. Both are at the negotiation then. */
export async function open(from: Person, to: Person, goal: string, between: Between): Promise<void> {
  await offer(from, goal, between);
  await letBegin(to, goal, between);
}

/** Puts a text forward. */
export async function putForward(from: Person, text: string, between: Between): Promise<void> {
  await editor(from).then((field) => field.fill(text));
  await between(from);
  const field = await editor(from);
  // A draft is still there after a reload.
  assert.equal(await field.inputValue(), text);
  await from.page.getByRole("button", { name: /^Send it to/ }).click();
}

/** Puts a text forward, which the other one reads. */
export async function propose(from: Person, to: Person, text: string, between: Between): Promise<void> {
  await putForward(from, text, between);
  const last = text.trim().split("\n").at(-1) ?? "";
  await to.reads(last);
  await between(to);
  await to.reads(last);
}

/** Where a text is written, folded out if it is folded. */
async function editor(who: Person): Promise<Locator> {
  const field = who.page.getByLabel("The text to agree on");
  await field.waitFor({ state: "attached" });
  if (!(await field.isVisible())) await who.page.getByText("Answer with another text").click();
  return field;
}

/** Accepts and signs what the other side has put forward last. */
export async function accept(who: Person): Promise<void> {
  await who.press("Accept and sign");
  await who.reads("Signed.");
}

/** Both sign and ratify what the other one has put forward last. */
export async function agree(first: Person, second: Person, between: Between): Promise<void> {
  await accept(first);
  await second.page.getByRole("button", { name: "Sign this text" }).waitFor();
  await Promise.all([between(first), between(second)]);
  await second.press("Sign this text");
  for (const who of [first, second]) await ratify(who, between);
  for (const who of [first, second]) await agreed(who, between);
}

/** Ratifies what both signed. */
export async function ratify(who: Person, between: Between): Promise<void> {
  await who.heading(/Ratify this/);
  await between(who);
  await approve(who, /Ratify this/);
}

/** Sees that it is agreed. */
export async function agreed(who: Person, between: Between): Promise<void> {
  await who.heading("What you agreed on");
  await between(who);
  await who.heading("What you agreed on");
}

/** The receipt, as it is downloaded: less the line feed at the end of the file. */
export async function receiptOf(who: Person): Promise<string> {
  const [download] = await Promise.all([who.page.waitForEvent("download"), who.press("Download the receipt")]);
  const text = readFileSync(await download.path(), "utf8");
  assert.ok(text.endsWith("}\n"));
  return text.slice(0, -1);
}
