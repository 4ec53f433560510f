// From the first view to the receipt by keyboard alone: nothing is clicked, and nothing is filled in by a script.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Locator } from "playwright-core";
import { verifyReceipt } from "../../npm/dist/node.js";
import { type Person, Stage } from "./support/stage.ts";

const stage = await Stage.start({ after });
/** More stops than any view has. */
const STOPS = 150;
const TEXT = "One hour costs 110 EUR.";
const OTHER = "One hour costs 120 EUR.";

test("the main flow by keyboard alone", { timeout: 300_000 }, async (t) => {
  const [alice, bob] = [new Hands(await stage.person(t)), new Hands(await stage.person(t))];
  await alice.skipsToTheContent();
  const words = await alice.invites("Bob");
  await bob.joins(words, "Alice");
  await Promise.all([alice.arrives("Bob"), bob.arrives("Alice")]);
  for (const who of [alice, bob]) await who.compares();
  await alice.writes("Shall we fix the price?");
  await bob.who.reads("Shall we fix the price?");
  await alice.opens("The price of one hour of work");
  await bob.approves(/Negotiate with/);
  await bob.presses(bob.link(/The price of one hour of work/));
  await bob.arrives(/Negotiation with/);
  await alice.who.reads(/said yes/);
  await alice.proposes(TEXT);
  await bob.who.reads(TEXT);
  await bob.presses(bob.who.page.getByText("Answer with another text"));
  await bob.proposes(OTHER);
  await alice.who.reads(OTHER);
  await alice.presses(alice.button("Accept and sign"));
  await bob.presses(bob.button("Sign this text"));
  for (const who of [alice, bob]) await who.approves(/Ratify this/);
  const receipts: string[] = [];
  for (const who of [alice, bob]) receipts.push(await who.takesTheReceipt());
  assert.equal(receipts[0], receipts[1]);
  assert.equal(verifyReceipt(receipts[0] ?? "").terms.goal, "The price of one hour of work");
  assert.ok(receipts[0]?.includes(OTHER));
});

/** Somebody with a keyboard, and nothing else. */
class Hands {
  readonly who: Person;

  constructor(who: Person) {
    this.who = who;
  }

  button(name: string | RegExp): Locator {
    return this.who.page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });
  }

  link(name: string | RegExp): Locator {
    return this.who.page.getByRole("link", { name });
  }

  key(name: string): Promise<void> {
    return this.who.page.keyboard.press(name);
  }

  /** Goes to a control, from stop to stop; it is seen where the keyboard is. */
  async reaches(target: Locator, key = "Tab"): Promise<void> {
    const { page } = this.who;
    await target.filter({ visible: true }).first().waitFor();
    const there = target.and(page.locator(":focus"));
    for (let stop = 0; (await there.count()) === 0; stop += 1) {
      assert.ok(stop < STOPS, `${target} is not reached by ${key}`);
      await this.key(key);
    }
    const seen = await there.evaluate((element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const { top, bottom } = element.getBoundingClientRect();
      return {
        hasRing: element.matches(":focus-visible") && outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2,
        isOnScreen: top < innerHeight && bottom > 0,
      };
    });
    assert.deepEqual(seen, { hasRing: true, isOnScreen: true }, `the focus at ${target}`);
  }

  async presses(target: Locator, key = "Enter"): Promise<void> {
    await this.reaches(target);
    await this.key(key);
  }

  async types(label: string | RegExp, text: string): Promise<void> {
    await this.reaches(this.who.page.getByLabel(label));
    await this.key("Control+A");
    await this.who.page.keyboard.type(text);
  }

  /** The keyboard is somewhere: not at the very beginning again, since what it was at is gone. */
  async isSomewhere(after: string): Promise<void> {
    const lost = () => document.activeElement === null || document.activeElement === document.body;
    // What has the focus next gets it in the next frame.
    await this.who.page
      .waitForFunction(() => document.activeElement !== null && document.activeElement !== document.body, undefined, {
        timeout: 5_000,
      })
      .catch(() => {});
    assert.equal(await this.who.page.evaluate(lost), false, `the focus is lost after: ${after}`);
  }

  /** A view has come: its heading is there, and reading begins at the content. */
  async arrives(heading: string | RegExp): Promise<void> {
    await this.who.heading(heading);
    await this.isSomewhere(`arriving at ${heading}`);
  }

  async skipsToTheContent(): Promise<void> {
    const { page } = this.who;
    await this.who.heading(/just between the two of you/);
    await this.presses(this.link("Skip to the content"));
    await page.locator("main:focus").waitFor();
    await this.key("Tab");
    assert.ok(await page.evaluate(() => document.activeElement?.closest("main")), "the first stop is in the content");
    await this.reaches(this.link("Help"), "Shift+Tab");
  }

  async invites(petname: string): Promise<string> {
    const { page } = this.who;
    await this.presses(this.link("Invite somebody"));
    await this.arrives("Invite somebody");
    await this.reaches(page.getByRole("radio", { name: /Link or QR/ }));
    await this.key("ArrowDown");
    assert.ok(await page.getByRole("radio", { name: /Four words/ }).isChecked());
    await this.types(/What do you call them/, petname);
    await this.presses(this.button("Make the invite"), "Space");
    await this.arrives("Your invite");
    return (await page.locator(".invite-spoken").textContent()) ?? "";
  }

  async joins(code: string, petname: string): Promise<void> {
    const { page } = this.who;
    await this.presses(this.link("I have a code"));
    await this.arrives("I have a code");
    const word = code.split("-").at(-1) ?? "";
    // Every word of four letters or more is offered when its last letter is missing; one of three may be one of many.
    const isCompleted = word.length > 3;
    await this.types("Your code", isCompleted ? code.slice(0, -1) : code);
    if (isCompleted) await this.chooses(page.getByRole("listbox").getByRole("option", { name: word, exact: true }));
    assert.equal(await page.getByLabel("Your code").inputValue(), code);
    await this.types(/What do you call them/, petname);
    await this.presses(this.button("Use the code"));
    await this.arrives("Pairing");
    await this.approves(/Bond with/);
  }

  /** Goes down a list that is open to what is meant, and takes it. */
  async chooses(option: Locator): Promise<void> {
    await option.waitFor();
    for (let stop = 0; (await option.getAttribute("aria-selected")) !== "true"; stop += 1) {
      assert.ok(stop < STOPS, `${option} is not reached`);
      await this.key("ArrowDown");
    }
    await this.key("Enter");
  }

  /** Looks once more and goes back, then approves. */
  async approves(question: RegExp): Promise<void> {
    const { page } = this.who;
    const card = page.getByRole("article").filter({ has: page.getByRole("heading", { name: question }) });
    const opener = card.getByRole("button", { name: "Approve…" });
    await this.presses(opener);
    await page.getByRole("dialog").waitFor();
    await this.key("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await opener.and(page.locator(":focus")).waitFor();
    await this.key("Space");
    await this.presses(page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }));
    await card.waitFor({ state: "detached" });
    await this.isSomewhere(`approving ${question}`);
  }

  async compares(): Promise<void> {
    await this.who.page.getByRole("img", { name: /^Group 5/ }).waitFor();
    await this.presses(this.button("They are equal"));
    await this.who.heading(/same safety number/);
    await this.isSomewhere("comparing");
    await this.approves(/same safety number/);
  }

  async writes(text: string): Promise<void> {
    await this.types(/^(Write a message|Your message)$/, text);
    await this.presses(this.button("Send"));
    await this.who.page.locator(".entries").getByText(text).waitFor();
    await this.isSomewhere("sending");
  }

  async opens(goal: string): Promise<void> {
    await this.reaches(this.link("Propose something"), "Shift+Tab");
    await this.key("Enter");
    await this.arrives(/Propose something to/);
    await this.types("What shall be agreed", goal);
    await this.presses(this.button("Propose it"));
    await this.arrives(/Negotiation with/);
  }

  async proposes(text: string): Promise<void> {
    await this.types("The text to agree on", text);
    await this.presses(this.button(/^Send it to/));
    await this.who.page.locator(".turns").getByText(text).first().waitFor();
    await this.isSomewhere("putting a text forward");
  }

  async takesTheReceipt(): Promise<string> {
    const { page } = this.who;
    await this.arrives("What you agreed on");
    await this.reaches(this.button("Download the receipt"));
    const [download] = await Promise.all([page.waitForEvent("download"), this.key("Enter")]);
    return readFileSync(await download.path(), "utf8");
  }
}
