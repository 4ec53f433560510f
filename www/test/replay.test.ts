// The replay: the recorded demo step by step, files of one's own, and files of somebody who means harm.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { printable } from "../../npm/dist/node.js";
import { scratch } from "../../npm/test/support/scratch.ts";
import { serve } from "../scripts/serve.mjs";
import { inIndonesian } from "../src/views/replay/phrases.ts";
import { parseTranscript } from "../src/views/replay/transcript.ts";
import { buildPage, LIMIT_MS, launch, Person } from "./support/stage.ts";

const COMMITTED = readFileSync(new URL("../src/views/replay/transcript.json", import.meta.url), "utf8");
/** What `make demo` writes. */
const DEMO = join(import.meta.dirname, "../../npm/scripts/demo.mjs");
const STEPS = parseTranscript(COMMITTED).lines.length;
/** Room for a file that is larger than any transcript. */
const HUGE = 9 * 1024 * 1024;

const browser = await launch({ after });
const { server, url } = await serve(buildPage("https://relay.example"));
after(() => {
  server.closeAllConnections();
  server.close();
});

// biome-ignore lint/suspicious/noExplicitAny: it is made wrong on purpose.
type Json = any;

/** The committed one, changed. */
function changed(change: (value: Json) => unknown): string {
  const value = JSON.parse(COMMITTED);
  return JSON.stringify(change(value) ?? value);
}

async function replay(t: { after(work: () => Promise<void>): void }): Promise<Person> {
  const context = await browser.newContext({ locale: "en-GB" });
  context.setDefaultTimeout(LIMIT_MS);
  t.after(() => context.close());
  const person = await Person.open(context, `${url}#/replay`);
  await person.heading("See how it works");
  return person;
}

/** Waits until a step is shown: its number, as many rows, and the last of them marked. */
async function at({ page }: Person, step: number, steps = STEPS): Promise<void> {
  await page.getByText(`Step ${step} of ${steps}`, { exact: true }).waitFor();
  const rows = page.locator(".stage li");
  assert.equal(await rows.count(), step);
  assert.equal(await rows.nth(step - 1).getAttribute("aria-current"), "step");
  assert.equal(await page.locator(".stage li[aria-current]").count(), 1);
}

/** Opens a file in place of the recorded demo. */
async function choose({ page }: Person, text: string): Promise<void> {
  const field = page.getByLabel(/A file that the demo wrote/);
  if (!(await field.isVisible())) await page.getByText("Open another transcript").click();
  await field.setInputFiles({ name: "demo-transcript.json", mimeType: "application/json", buffer: Buffer.from(text) });
}

const lastStep = (person: Person) => person.page.getByRole("slider").press("End");

test("the recorded demo goes from its first step to its last by buttons; its receipt is verified", async (t) => {
  const person = await replay(t);
  await at(person, 1);
  // It is off, and keeps its place in the order of the keyboard.
  await person.page.getByRole("button", { name: "Back" }).press("Enter");
  await at(person, 1);
  for (let step = 2; step <= STEPS; step++) {
    await person.press("Next");
    await at(person, step);
  }
  const texts = await person.page.locator(".stage .what").allTextContents();
  assert.deepEqual(
    texts,
    parseTranscript(COMMITTED).lines.map(({ what }) => printable(what)),
  );
  await person.reads("Both signatures hold.");
  await person.page.getByText("Exact values, for comparing").click();
  await person.reads(JSON.parse(COMMITTED).agreement);
  await person.press("Back");
  await at(person, STEPS - 1);
  assert.equal(await person.page.getByText("Both signatures hold.").count(), 0);
  await person.press("Next");
  await person.press("From the beginning");
  // It goes by itself now.
  await at(person, 2);
  await person.press("Pause");
  assert.deepEqual(
    person.requests.filter((request) => !request.startsWith(url)),
    [],
  );
  assert.deepEqual(person.complaints, []);
});

test("it goes by keys, and by the slider", async (t) => {
  const person = await replay(t);
  const { keyboard } = person.page;
  await person.page.getByRole("button", { name: "Next" }).focus();
  for (let step = 2; step <= STEPS; step++) {
    await keyboard.press("ArrowRight");
    await at(person, step);
  }
  await person.reads("Both signatures hold.");
  await keyboard.press("ArrowRight");
  await at(person, STEPS);
  await keyboard.press("ArrowLeft");
  await at(person, STEPS - 1);
  await keyboard.press("Home");
  await at(person, 1);
  await keyboard.press("ArrowLeft");
  await at(person, 1);
  await keyboard.press("End");
  await at(person, STEPS);
  const slider = person.page.getByRole("slider");
  await slider.focus();
  await keyboard.press("ArrowLeft");
  await at(person, STEPS - 1);
  assert.equal(await slider.getAttribute("aria-valuetext"), `Step ${STEPS - 1} of ${STEPS}`);
  assert.deepEqual(person.complaints, []);
});

test("a file of one's own is shown, and given up for the recorded one again", async (t) => {
  const person = await replay(t);
  await choose(
    person,
    changed((value) => {
      value.lines = value.lines.slice(0, 12);
      for (const line of value.lines) line.who = line.who.replace("Alice", "Carol").replace("Bob", "Dave");
    }),
  );
  await person.reads(/^A transcript from a file\./);
  await at(person, 1, 12);
  await lastStep(person);
  await at(person, 12, 12);
  await person.reads("Carol's assistant");
  await person.reads("Both signatures hold.");
  await person.press("Back to ours");
  await at(person, 1);
  assert.deepEqual(person.complaints, []);
});

test("a file of somebody who means harm is shown as text, and its receipt is not believed", async (t) => {
  const person = await replay(t);
  const html = `<img src="https://evil.example/a.png" onerror="document.title='owned'"><script>document.title="owned"</script>`;
  const text = `${html}\u202e\u0000 javascript:alert(1)`;
  const names = ["<b>A</b>\u202e", "<i>B</i>"];
  const hostile = (value: Json): Json =>
    typeof value === "string"
      ? text
      : Array.isArray(value)
        ? value.map(hostile)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hostile(inner)]))
          : value;
  await choose(
    person,
    changed((value) => {
      value.lines = names.map((who, ms) => ({ ms, who, what: text, why: text }));
      value.receipt = hostile(value.receipt);
    }),
  );
  await lastStep(person);
  await at(person, 2, 2);
  const shown = await person.page.locator(".stage .what, .stage .why").allTextContents();
  assert.deepEqual(shown, Array(4).fill(printable(text)));
  await person.reads(`${printable(names[0] ?? "")}'s assistant`);
  await person.reads(/^The receipt in this file is not the one that the transcript speaks of/);
  assert.equal(await person.page.getByText("Both signatures hold.").count(), 0);
  await person.page.locator(".trouble").nth(1).waitFor();
  assert.equal(await person.page.locator(".replay :is(img, script, b, i)").count(), 0);
  assert.equal(await person.page.title(), "AgentPair");
  assert.deepEqual(
    person.requests.filter((request) => !request.startsWith(url)),
    [],
  );
  assert.deepEqual(person.complaints, []);
});

test("a receipt that was changed does not pass", async (t) => {
  const person = await replay(t);
  await choose(
    person,
    changed((value) => {
      value.receipt.deliverable.text += " ";
    }),
  );
  await lastStep(person);
  await person.page.locator(".trouble").waitFor();
  assert.equal(await person.page.getByText("Both signatures hold.").count(), 0);
});

test("what is no transcript is refused, and the recorded one stays", async (t) => {
  const person = await replay(t);
  const unreadable = "This file is not a transcript: it cannot be read. Choose the file demo-transcript.json.";
  const odd = "This file is not a transcript of the demo, or it was changed. Choose another one.";
  // One after the other, each with other words than the one before: what is read is never a leftover.
  const faults: [text: string, words: string][] = [
    [`"${"x".repeat(HUGE)}"`, "This file is too large for a transcript."],
    ["no", unreadable],
    ["[]", odd],
    ["", unreadable],
    [changed((value) => ({ ...value, lines: { length: 1 } })), odd],
    [
      changed((value) => ({ ...value, lines: Array(1_001).fill(value.lines[0]) })),
      "This transcript has more steps than can be shown here.",
    ],
    [COMMITTED.replace("{", '{"__proto__": {"lines": []},'), odd],
    [changed((value) => void value.lines.splice(1)), "A transcript has exactly two sides. This one has not."],
  ];
  for (const [text, words] of faults) {
    await choose(person, text);
    await person.reads(words);
    await at(person, 1);
  }
  assert.deepEqual(person.complaints, []);
});

/** What is where, by type. Of a list, what its entries are like. */
function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return [...new Set(value.map((entry) => JSON.stringify(shapeOf(entry))))].toSorted();
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, shapeOf(value[name])]),
  );
}

/** What was done, by whom, without what differs from run to run. */
function actsOf(text: string): string[] {
  return parseTranscript(text)
    .lines.map(({ who, what, why }) => `${who}: ${inIndonesian(what) ? what : "?"} (${why})`)
    .map((line) => line.replaceAll(/“.+”|\S*:\/\/\S+|[0-9a-f]{8,}…|\d{6}( \d{6}){4}/g, "…"))
    .toSorted();
}

test("what the demo writes has the shape of the recorded one", async () => {
  assert.ok(actsOf(COMMITTED).every((line) => !line.includes(": ? ")));
  const file = join(scratch(), "transcript.json");
  await promisify(execFile)(process.execPath, [DEMO], { env: { ...process.env, DEMO_TRANSCRIPT: file } });
  const written = readFileSync(file, "utf8");
  assert.deepEqual(shapeOf(JSON.parse(written)), shapeOf(JSON.parse(COMMITTED)));
  assert.deepEqual(actsOf(written), actsOf(COMMITTED));
});
