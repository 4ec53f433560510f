// QR codes: an independent decoder reads what the page shows, and the page reads what a camera sees.
import assert from "node:assert/strict";
import { join as joined } from "node:path";
import { after, test } from "node:test";
import jsqr from "jsqr";
import type { BrowserContext } from "playwright-core";
import { LONGEST_MS, longestTask } from "../../npm/test/browser/support/long-tasks.ts";
import { scratch } from "../../npm/test/support/scratch.ts";
import { film, picture } from "./support/camera.ts";
import { LIMIT_MS, launch, Person, Stage } from "./support/stage.ts";
import { approve, invite } from "./support/way.ts";

const FILM = joined(scratch(), "camera.y4m");
const stage = await Stage.start(
  { after },
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-video-capture=${FILM}`,
);
const nothing = async () => {};

/** A QR code on the page, as a photograph of it. */
const photo = (who: Person, label: RegExp) => who.page.getByRole("img", { name: label }).screenshot();

/** What an independent decoder reads in a photograph. */
async function decoded(png: Buffer): Promise<string | undefined> {
  const { data, width, height } = await picture(stage.browser, png);
  const decode = jsqr as unknown as typeof jsqr.default;
  return decode(data, width, height)?.data;
}

/** Lets the camera see a photograph. */
const hold = async (png: Buffer) => film(FILM, await picture(stage.browser, png, true));

/** Keeps the streams that cameras give, to see whether they were ended. */
const watchCamera = (context: BrowserContext) =>
  context.addInitScript(() => {
    const streams: MediaStream[] = [];
    Object.assign(globalThis, { streams });
    const take = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await take(wanted);
      streams.push(stream);
      return stream;
    };
  });

/** The states of all tracks that there were. */
const tracks = (who: Person) =>
  who.page.evaluate(() =>
    (globalThis as unknown as { streams: MediaStream[] }).streams.flatMap((stream) =>
      stream.getTracks().map(({ kind, readyState }) => `${kind} ${readyState}`),
    ),
  );

/** Waits until every camera that was ever on is off again. */
async function allEnded(who: Person, count: number): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  let seen = await tracks(who);
  while (seen.some((track) => track !== "video ended") && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen = await tracks(who);
  }
  assert.deepEqual(seen, Array(count).fill("video ended"));
}

test("the codes that the page shows are read by another decoder, and by the page from its camera", async (t) => {
  const [alice, bob] = [
    await stage.person(t, { colorScheme: "dark" }),
    await stage.person(t, { permissions: ["camera"] }, watchCamera),
  ];
  const link = await invite(alice, "Bob", nothing);
  const code = await photo(alice, /QR code of your invite link/);
  assert.equal(await decoded(code), link);

  await hold(code);
  await bob.follow("I have a code");
  const longest = await longestTask(bob.page, async () => {
    await bob.press("Scan a QR code");
    await bob.heading(/The code was scanned/);
  });
  t.diagnostic(`the page stood still for ${longest.toFixed(0)} ms at most while it scanned`);
  assert.ok(longest <= LONGEST_MS, `${longest} ms`);
  await allEnded(bob, 1);
  await bob.type(/What do you call them/, "Alice");
  await bob.press("Accept the invite");
  await approve(bob, /Bond with/);
  await Promise.all([alice.heading("Bob"), bob.heading("Alice")]);

  const keys = /QR code of both keys/;
  await Promise.all([alice, bob].map((who) => who.page.getByRole("img", { name: /^Group 5/ }).waitFor()));
  // The code that is still before the camera is not the one.
  await bob.press(/^Scan the other side.s code/);
  await bob.reads(/That is another QR code/);
  assert.deepEqual(await tracks(bob), ["video ended", "video live"]);
  await bob.press("Stop the camera");
  await allEnded(bob, 2);

  const digests = [await decoded(await photo(alice, keys)), await decoded(await photo(bob, keys))];
  assert.match(digests[0] ?? "", /^[0-9a-f]{64}$/);
  assert.equal(digests[0], digests[1]);
  await hold(await photo(alice, keys));
  await bob.press(/^Scan the other side.s code/);
  await bob.heading(/same safety number/);
  await allEnded(bob, 3);
  await approve(bob, /same safety number/);
  await bob.reads(/You compared it/);
  assert.deepEqual(bob.complaints, []);
});

test("a camera that is denied, or missing: words, and the other ways", async (t) => {
  const alice = await stage.person(t);
  const link = await invite(alice, "Bob", nothing);
  const code = await photo(alice, /QR code of your invite link/);
  const bare = await launch(t);
  const context = await bare.newContext({ locale: "en-GB", permissions: ["camera"] });
  context.setDefaultTimeout(LIMIT_MS);
  const cases = [
    { who: await stage.person(t, { permissions: [] }), words: /The camera is not allowed here/ },
    { who: await Person.open(context, stage.url), words: /There is no camera on this device/ },
  ];
  for (const { who, words } of cases) {
    await who.follow("I have a code");
    await who.press("Scan a QR code");
    await who.reads(words);
    const none = { name: "blank.png", mimeType: "image/png", buffer: await who.page.locator("h1").screenshot() };
    const field = who.page.getByLabel("Or choose a picture with the code");
    await field.setInputFiles(none);
    await who.reads(/There is no QR code to be seen in this file/);
    await who.page.getByRole("button", { name: "Try the camera again" }).waitFor();
    // Typing goes on beside it.
    assert.ok(await who.page.getByRole("combobox", { name: "Your code" }).isEditable());
    await field.setInputFiles({ name: "code.png", mimeType: "image/png", buffer: code });
    await who.heading(/The code was scanned/);
    await who.page.getByRole("button", { name: "Accept the invite" }).waitFor();
    assert.ok(!(await who.page.content()).includes(link.split(".").at(-1) ?? ""), "the code is in the page");
  }
});
